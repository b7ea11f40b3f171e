import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CryptoRefreshError } from '../resources/crypto/rules.ts';
import type { CryptoHolding, CryptoRefreshReason } from '../resources/crypto/rules.ts';
import type { Fault, ProviderServer } from './testing/provider-server.ts';
import { runs } from '../../../core/src/testing/length.ts';

/** A connector and the server that it reads from. */
export interface ConnectorSubject {
  readonly server: ProviderServer;
  /** Texts that none of its errors may contain. */
  readonly secrets: readonly string[];
  /** What it reads when the server has no fault. */
  readonly holdings: readonly CryptoHolding[];
  read(signal: AbortSignal): Promise<readonly CryptoHolding[]>;
  /** JSON responses that break the protocol. */
  readonly invalidResponses: readonly unknown[];
}

/** At most 20 characters, so that an error of JSON.parse quotes all of it. */
const canary = 'canary-in-response';
const plentyMs = 20_000;
const shortMs = 80;

/** What a provider does, and why a reading then fails. */
const cases: readonly (readonly [Fault, CryptoRefreshReason, retryAfterSeconds?: number])[] = [
  ['down', 'unreachable'],
  ['reset', 'unreachable'],
  ['truncated', 'unreachable'],
  ['slowHeader', 'timeout'],
  ['slowBody', 'timeout'],
  ['notHttp', 'nonsense'],
  ['endlessHeader', 'nonsense'],
  ['html', 'unreachable'],
  ['deepJson', 'nonsense'],
  ['notUtf8', 'nonsense'],
  ['endless', 'nonsense'],
  [{ status: 500 }, 'unreachable'],
  [{ status: 502 }, 'unreachable'],
  [{ status: 503, retryAfter: '30' }, 'unreachable'],
  [{ status: 429, retryAfter: '30' }, 'rateLimited', 30],
  [{ status: 429 }, 'rateLimited'],
  [{ status: 429, retryAfter: '86400' }, 'rateLimited', 86_400],
  [{ status: 429, retryAfter: '86401' }, 'rateLimited'],
  [{ status: 429, retryAfter: '-1' }, 'rateLimited'],
  [{ status: 429, retryAfter: '1e3' }, 'rateLimited'],
  [{ status: 401 }, 'refused'],
  [{ status: 403 }, 'refused'],
  [{ status: 404 }, 'unreachable'],
  [{ status: 301 }, 'unreachable'],
  [{ status: 400 }, 'nonsense'],
  [{ status: 201 }, 'nonsense'],
  [{ status: 403, type: 'Text/HTML; charset=utf-8' }, 'unreachable'],
  [{ status: 401, type: 'application/xhtml+xml' }, 'unreachable'],
  [{ status: 429, type: 'text/html', retryAfter: '5' }, 'rateLimited', 5],
  [{ text: '' }, 'nonsense'],
  [{ text: canary }, 'nonsense'],
  [{ text: '{"error":[' }, 'nonsense'],
  [{ json: null }, 'nonsense'],
  [{ json: [canary] }, 'nonsense'],
  [{ json: canary }, 'nonsense'],
  [{ json: { [canary]: canary } }, 'nonsense'],
];

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
    for (const [fault, reason, retryAfterSeconds = null] of cases)
      it(`${inspect(fault)}: ${reason}`, async () => {
        const error = await failed(fault, reason === 'timeout' ? shortMs : plentyMs);
        assert.deepEqual([error.reason, error.retryAfterSeconds], [reason, retryAfterSeconds]);
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
