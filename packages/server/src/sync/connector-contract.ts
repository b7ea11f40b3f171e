import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { CryptoRefreshError, type CryptoRefreshReason } from '../outside/provider-error.ts';
import type { CryptoHolding } from './prices/worth.ts';
import type { Fault, ProviderServer } from './testing/provider-server.ts';

export interface ConnectorSubject {
  readonly server: ProviderServer;
  readonly secrets: readonly string[];
  readonly holdings: readonly CryptoHolding[];
  read(signal: AbortSignal): Promise<readonly CryptoHolding[]>;
  readonly invalidResponses: readonly unknown[];
}

/** At most 20 characters, so that an error of JSON.parse quotes all of it. */
const canary = 'canary-in-response';
const plentyMs = 20_000;
const shortMs = 80;

const limited = (retryAfter: string, type = 'application/json') => {
  return { status: 429, retryAfter, type };
};

/** Why a reading fails, by what its provider does. */
const cases: Readonly<Partial<Record<CryptoRefreshReason, readonly Fault[]>>> = {
  unreachable: [
    ...(['down', 'reset', 'truncated', 'html'] as const),
    ...[500, 502, 404, 301].map((status) => ({ status })),
    { status: 503, retryAfter: '30' },
    { status: 403, type: 'Text/HTML; charset=utf-8' },
    { status: 401, type: 'application/xhtml+xml' },
  ],
  timeout: ['slowHeader', 'slowBody'],
  nonsense: [
    ...(['notHttp', 'endlessHeader', 'deepJson', 'notUtf8', 'endless'] as const),
    ...[400, 201].map((status) => ({ status })),
    ...['', canary, '{"error":['].map((text) => ({ text })),
    ...[null, [canary], canary, { [canary]: canary }].map((json) => ({ json })),
  ],
  rateLimited: [
    limited('30'),
    { status: 429 },
    limited('86400'),
    limited('5', 'text/html'),
    ...['86401', '-1', '1e3'].map((each) => limited(each)),
  ],
  refused: [{ status: 401 }, { status: 403 }],
};

/** What every connector does when its provider fails. The caller starts and closes the server. */
export function connectorContract(name: string, subject: ConnectorSubject): void {
  const { server, secrets, holdings } = subject;
  const read = (timeoutMs = plentyMs) => subject.read(AbortSignal.timeout(timeoutMs));

  /** Asserts that an error contains no secret, no URL and nothing of a response, however it is printed. */
  function assertDiscreet(error: unknown): asserts error is CryptoRefreshError {
    assert.ok(error instanceof CryptoRefreshError, inspect(error));
    const printed = `${inspect(error, { depth: 9, showHidden: true })} ${error.message}`;
    for (const secret of [...secrets, new URL(server.url).host, canary])
      assert.ok(!printed.includes(secret), printed);
  }

  async function failed(fault: Fault, timeoutMs?: number): Promise<CryptoRefreshError> {
    await server.fail(fault);
    const error: unknown = await read(timeoutMs).then(
      () => assert.fail(`the reading succeeded: ${inspect(fault)}`),
      (reason: unknown) => reason,
    );
    assertDiscreet(error);
    await server.fail(null);
    return error;
  }

  describe(`${name}: faults of the provider`, () => {
    for (const [reason, faults] of Object.entries(cases))
      for (const fault of faults)
        it(`${inspect(fault)}: ${reason}`, async () => {
          const error = await failed(fault, reason === 'timeout' ? shortMs : plentyMs);
          const { retryAfter = '' } = typeof fault === 'object' && 'status' in fault ? fault : {};
          const seconds = ['30', '86400', '5'].includes(retryAfter) ? Number(retryAfter) : null;
          const waited = reason === 'rateLimited' ? seconds : null;
          assert.deepEqual([error.reason, error.retryAfterSeconds], [reason, waited]);
          assert.deepEqual(await read(), holdings, 'the next reading succeeds');
        });

    it('a redirect is not followed, and nothing is sent after an abort', async () => {
      const before = server.calls.length;
      const { path } = server.calls.at(-1)!;
      const error = await failed({ redirectTo: `${server.url}${path}` });
      assert.deepEqual([error.reason, server.calls.length], ['unreachable', before + 1]);
      const ended = subject.read(AbortSignal.abort());
      await assert.rejects(ended, { name: 'CryptoRefreshError', reason: 'timeout' });
      assert.equal(server.calls.length, before + 1);
    });

    it('any JSON is accepted or fails with a CryptoRefreshError', async () => {
      const words =
        'error result accounts currency value hold has_next id cursor available_balance jsonrpc XXBT code';
      const leaf = fc.oneof(
        fc.constantFrom('1', '-1', '2.0', '0x1', 'BTC', '1e30', ''),
        fc.jsonValue(),
      );
      const json = fc.object({
        key: fc.constantFrom(...words.split(' ')),
        values: [leaf, fc.boolean(), fc.integer(), fc.double()],
      });
      // JSON with these keys passes the first checks.
      const begun = json.map((rest) => ({ jsonrpc: '2.0', id: 1, error: [], ...rest }));
      await fc.assert(
        fc.asyncProperty(fc.oneof(json, begun, fc.jsonValue()), async (response) => {
          await server.fail({ json: response });
          const outcome: unknown = await read().catch((error: unknown) => error);
          if (!Array.isArray(outcome)) assertDiscreet(outcome);
        }),
        { numRuns: runs(100) },
      );
      await server.fail(null);
    });

    it('JSON responses that break the protocol: nonsense', async () => {
      for (const json of subject.invalidResponses)
        assert.equal((await failed({ json })).reason, 'nonsense', inspect(json));
    });
  });
}
