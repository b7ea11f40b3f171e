import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CryptoRefreshError } from '../resources/crypto/rules.ts';
import type { CryptoHolding, CryptoRefreshReason } from '../resources/crypto/rules.ts';
import type { Fault, ProviderServer } from './testing/provider-server.ts';

/** A connector and the server that it reads from. */
export interface ConnectorSubject {
  readonly server: ProviderServer;
  /** Texts that none of its errors may contain. */
  readonly secrets: readonly string[];
  /** What it reads when the server has no fault. */
  readonly holdings: readonly CryptoHolding[];
  read(signal: AbortSignal): Promise<readonly CryptoHolding[]>;
  /** JSON responses that break the protocol, by what is wrong with them. */
  readonly invalidResponses: Readonly<Record<string, unknown>>;
}

/** At most 20 characters, so that an error of JSON.parse quotes all of it. */
const canary = 'canary-in-response';
const plentyMs = 20_000;
const shortMs = 80;

interface Case {
  readonly fault: Fault;
  readonly reason: CryptoRefreshReason;
  readonly retryAfterSeconds?: number;
  readonly timeoutMs?: number;
}

const cases: Readonly<Record<string, Case>> = {
  'connections that are refused': { fault: 'down', reason: 'unreachable' },
  'a connection that is reset': { fault: 'reset', reason: 'unreachable' },
  'a body that ends too early': { fault: 'truncated', reason: 'unreachable' },
  'status 500': { fault: { status: 500 }, reason: 'unreachable' },
  'status 502': { fault: { status: 502 }, reason: 'unreachable' },
  'status 503, with Retry-After': {
    fault: { status: 503, retryAfter: '30' },
    reason: 'unreachable',
  },
  'a header that never arrives': { fault: 'slowHeader', reason: 'timeout', timeoutMs: shortMs },
  'a body that arrives too slowly': { fault: 'slowBody', reason: 'timeout', timeoutMs: shortMs },
  'status 429 with Retry-After': {
    fault: { status: 429, retryAfter: '30' },
    reason: 'rateLimited',
    retryAfterSeconds: 30,
  },
  'status 429 without Retry-After': { fault: { status: 429 }, reason: 'rateLimited' },
  'status 429 with a Retry-After of a day': {
    fault: { status: 429, retryAfter: '86400' },
    reason: 'rateLimited',
    retryAfterSeconds: 86_400,
  },
  'status 429 with a Retry-After beyond a day': {
    fault: { status: 429, retryAfter: '86401' },
    reason: 'rateLimited',
  },
  'status 429 with a negative Retry-After': {
    fault: { status: 429, retryAfter: '-1' },
    reason: 'rateLimited',
  },
  'status 429 with a Retry-After that is not a number': {
    fault: { status: 429, retryAfter: '1e3' },
    reason: 'rateLimited',
  },
  'status 401': { fault: { status: 401 }, reason: 'refused' },
  'status 403': { fault: { status: 403 }, reason: 'refused' },
  'status 404': { fault: { status: 404 }, reason: 'unreachable' },
  'status 301': { fault: { status: 301 }, reason: 'unreachable' },
  'status 400': { fault: { status: 400 }, reason: 'nonsense' },
  'status 201': { fault: { status: 201 }, reason: 'nonsense' },
  'a response that is not HTTP': { fault: 'notHttp', reason: 'nonsense' },
  'endless headers': { fault: 'endlessHeader', reason: 'nonsense' },
  'an HTML page': { fault: 'html', reason: 'unreachable' },
  'an HTML page with status 403': {
    fault: { status: 403, type: 'Text/HTML; charset=utf-8' },
    reason: 'unreachable',
  },
  'an XHTML page with status 401': {
    fault: { status: 401, type: 'application/xhtml+xml' },
    reason: 'unreachable',
  },
  'an HTML page with status 429': {
    fault: { status: 429, type: 'text/html', retryAfter: '5' },
    reason: 'rateLimited',
    retryAfterSeconds: 5,
  },
  'JSON that is nested too deep': { fault: 'deepJson', reason: 'nonsense' },
  'bytes that are not UTF-8': { fault: 'notUtf8', reason: 'nonsense' },
  'a body above 1 MiB that starts correctly': { fault: 'endless', reason: 'nonsense' },
  'an empty body': { fault: { text: '' }, reason: 'nonsense' },
  'text that is not JSON': { fault: { text: canary }, reason: 'nonsense' },
  'half of an object': { fault: { text: '{"error":[' }, reason: 'nonsense' },
  'JSON that is null': { fault: { json: null }, reason: 'nonsense' },
  'JSON that is an array': { fault: { json: [canary] }, reason: 'nonsense' },
  'JSON that is a string': { fault: { json: canary }, reason: 'nonsense' },
  'an unexpected object': { fault: { json: { [canary]: canary } }, reason: 'nonsense' },
};

/** What every connector does when its provider fails. The caller starts and closes the server. */
export function connectorContract(name: string, subject: ConnectorSubject): void {
  describe(`${name}: faults of the provider`, () => {
    const read = (timeoutMs = plentyMs) => subject.read(AbortSignal.timeout(timeoutMs));

    async function failed(fault: Fault, timeoutMs?: number): Promise<CryptoRefreshError> {
      await subject.server.fail(fault);
      const error: unknown = await read(timeoutMs).then(
        () => assert.fail('the reading succeeded'),
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof CryptoRefreshError, inspect(error));
      assertDiscreet(error, subject);
      await subject.server.fail(null);
      // The next reading succeeds.
      assert.deepEqual(await read(), subject.holdings);
      return error;
    }

    for (const [title, { fault, reason, retryAfterSeconds = null, timeoutMs }] of Object.entries(
      cases,
    )) {
      it(`${title}: ${reason}`, async () => {
        const error = await failed(fault, timeoutMs);
        assert.equal(error.reason, reason, error.message);
        assert.equal(error.retryAfterSeconds, retryAfterSeconds);
      });
    }

    it('a redirect is not followed: unreachable', async () => {
      const before = subject.server.calls.length;
      const { path } = subject.server.calls.at(-1)!;
      const error = await failed({ redirectTo: `${subject.server.url}${path}` });
      assert.equal(error.reason, 'unreachable');
      // The redirected request, and the one after the fault.
      assert.equal(subject.server.calls.length, before + 2);
    });

    it('a signal that is aborted before anything is sent: timeout', async () => {
      const before = subject.server.calls.length;
      const error: unknown = await subject.read(AbortSignal.abort()).catch((e: unknown) => e);
      assert.ok(error instanceof CryptoRefreshError);
      assert.equal(error.reason, 'timeout');
      assert.equal(subject.server.calls.length, before);
    });

    it('any JSON is accepted or fails with a CryptoRefreshError', async () => {
      const words = ['error', 'result', 'accounts', 'currency', 'value', 'hold', 'has_next', 'id'];
      const key = fc.constantFrom(
        ...words,
        'cursor',
        'available_balance',
        'jsonrpc',
        'XXBT',
        'code',
      );
      const leaf = fc.oneof(
        fc.constantFrom('1', '-1', '2.0', '0x1', 'BTC', '1e30', ''),
        fc.jsonValue(),
      );
      const json = fc.object({ key, values: [leaf, fc.boolean(), fc.integer(), fc.double()] });
      // JSON with these keys passes the first checks.
      const begun = json.map((rest) => ({ jsonrpc: '2.0', id: 1, error: [], ...rest }));
      await fc.assert(
        fc.asyncProperty(fc.oneof(json, begun, fc.jsonValue()), async (response) => {
          await subject.server.fail({ json: response });
          const outcome: unknown = await read().catch((error: unknown) => error);
          if (Array.isArray(outcome)) return;
          assert.ok(outcome instanceof CryptoRefreshError, inspect(outcome));
          assertDiscreet(outcome, subject);
        }),
      );
      await subject.server.fail(null);
    });

    it('JSON responses that break the protocol: nonsense', async () => {
      for (const [title, json] of Object.entries(subject.invalidResponses)) {
        const error = await failed({ json });
        assert.equal(error.reason, 'nonsense', title);
      }
    });
  });
}

/** Asserts that an error contains no secret, no URL and nothing of a response, however it is printed. */
function assertDiscreet(error: CryptoRefreshError, { secrets, server }: ConnectorSubject): void {
  const printed = `${inspect(error, { depth: 9, showHidden: true })} ${error.message}`;
  const shy = [...secrets, new URL(server.url).host, canary];
  for (const secret of shy) assert.ok(!printed.includes(secret), printed);
}
