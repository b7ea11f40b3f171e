import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import {
  ApiError,
  CofferError,
  MalformedResponseError,
  NetworkError,
  RateLimitError,
  RequestError,
  TimeoutError,
} from '../index.ts';
import { always, bench, inTurn, token } from '../testing/client-bench.ts';
import type { Fault } from '../testing/simulated-service.ts';
import { runs } from '../../../core/src/testing/length.ts';

describe('after 429', () => {
  test('it waits as long as Retry-After says, and succeeds', async () => {
    const { clock, service, client, notices } = bench({
      limit: 1,
      windowMs: 60_000,
      without: ['ratelimit-remaining'],
    });
    await clock.run(client.transactions.page());
    await clock.run(client.transactions.page());
    assert.deepEqual(
      service.requests.map(({ status }) => status),
      [200, 429, 200],
    );
    assert.equal(notices[0]?.delayMs, 60_000);
    const waitedMs = (service.requests[2]?.atMs ?? 0) - (service.requests[1]?.atMs ?? 0);
    assert.ok(waitedMs >= 60_000 && waitedMs < 60_500, `${waitedMs} ms`);
  });

  test('without Retry-After it backs off with full jitter, up to twice as long each time', async () => {
    const longest = Array.from({ length: 7 }, () => 0);
    for (let seed = 0; seed < 200; seed += 1) {
      const without = ['ratelimit-remaining', 'ratelimit-reset'];
      const { client, notices, failure } = bench({ fault: always('bare-429'), without }, {}, seed);
      assert.ok((await failure(client.me())) instanceof RateLimitError);
      assert.equal(notices.length, 7);
      notices.forEach(({ delayMs }, place) => {
        const bound = Math.min(30_000, 500 * 2 ** place);
        assert.ok(delayMs >= 0 && delayMs < bound, `${delayMs} of ${bound}`);
        longest[place] = Math.max(longest[place]!, delayMs / bound);
      });
    }
    for (const part of longest) assert.ok(part > 0.9, 'the jitter is full');
  });

  test('a wait longer than maxElapsedMs is refused at once; the error has its length', async () => {
    const { clock, client, failure } = bench({ limit: 1 }, { maxElapsedMs: 10_000 });
    await clock.run(client.transactions.page());
    const beforeMs = clock.nowMs();
    const error = await failure(client.transactions.page());
    assert.ok(error instanceof RateLimitError);
    assert.equal(error.attempts, 0);
    assert.equal(error.status, 429);
    assert.ok(
      error.retryAfterMs! > 50_000 && error.retryAfterMs! < 62_000,
      `${error.retryAfterMs}`,
    );
    assert.equal(clock.nowMs(), beforeMs);
  });
});

describe('temporary failures', () => {
  const posted = { method: 'POST', path: '/things' } as const;

  test('a POST without a key is sent again after 429, because nothing happened', async () => {
    const { clock, service, client } = bench({ fault: inTurn('bare-429') });
    await clock.run(client.request(posted));
    const received = service.requests.map(({ status, method }) => `${status} ${method}`);
    assert.deepEqual(received, ['429 POST', '200 POST']);
  });

  test('a body of another shape is permanent, so nothing is sent again', async () => {
    const { service, client, failure } = bench({ fault: always('wrong-shape') });
    assert.ok((await failure(client.transactions.page())) instanceof MalformedResponseError);
    assert.equal(service.requests.length, 1);
  });
});

describe('errors', () => {
  const kinds: [Fault, new (...args: never[]) => CofferError][] = [
    ['refused', NetworkError],
    ['hang', TimeoutError],
    ['plain-503', ApiError],
    ['bare-429', RateLimitError],
    ['cut', MalformedResponseError],
    ['not-json', MalformedResponseError],
    ['forbidden', ApiError],
  ];
  for (const [fault, kind] of kinds) {
    test(`${fault}: a ${kind.name} with the request and the attempts, without the token`, async () => {
      const { client, failure } = bench({ fault: always(fault) }, { maxAttempts: 3 });
      const error = await failure(client.transactions.page({ start_date: '2026-01-01' }));
      assert.ok(error instanceof kind, inspect(error));
      assert.equal(error.name, kind.name);
      assert.ok(error instanceof RequestError);
      assert.equal(error.attempts, fault === 'forbidden' ? 1 : 3);
      assert.deepEqual(error.request, {
        method: 'GET',
        url: 'http://127.0.0.1/v2/transactions?start_date=2026-01-01&limit=1000&offset=0',
      });
      assert.doesNotMatch(inspect(error, { depth: null, showHidden: true }), /secret/);
    });
  }

  test('an error has the message, the entries and the status of its response', async () => {
    const { client, failure } = bench({ fault: always('forbidden') });
    const error = await failure(client.me());
    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 401);
    assert.equal(error.reason, 'Unauthorized');
    assert.deepEqual(error.errors, [{ errMsg: 'Unauthorized, it seems.' }]);
    assert.match(error.message, /status 401: Unauthorized: Unauthorized, it seems\. \(1 attempt\)/);
  });

  test('the token is removed from a response that repeats it', async () => {
    const fetch = async (): Promise<Response> =>
      Response.json({ message: token, errors: [{ errMsg: `No ${token}` }] }, { status: 400 });
    const { client, failure } = bench({}, { fetch });
    assert.doesNotMatch(inspect(await failure(client.me()), { depth: null }), /secret/);
  });

  test('a printed client shows no token', () => {
    const { client } = bench({});
    const shown = inspect(client, { depth: null, showHidden: true }) + JSON.stringify(client);
    assert.doesNotMatch(shown, /secret/);
  });
});

describe('time limits', () => {
  test('a wait that would exceed maxElapsedMs is not started', async () => {
    const { clock, client, failure } = bench(
      { fault: always('503-retry-after') },
      { maxElapsedMs: 6_000 },
    );
    const startMs = clock.nowMs();
    const error = await failure(client.me());
    assert.ok(error instanceof ApiError && error.retryAfterMs === 7_000);
    assert.ok(clock.nowMs() - startMs < 100);
  });

  test('an attempt ends after timeoutMs, a call after maxElapsedMs', async () => {
    const { clock, client, failure } = bench(
      { fault: always('hang') },
      { timeoutMs: 4_000, maxElapsedMs: 10_000 },
    );
    const startMs = clock.nowMs();
    const error = await failure(client.me());
    assert.ok(error instanceof TimeoutError);
    assert.ok(clock.nowMs() - startMs <= 10_000);
    assert.deepEqual(clock.pending, []);
  });

  for (const [what, fetch] of [
    ['a body that never ends', async () => new Response(new ReadableStream())],
    ['a fetch that ignores its signal', () => Promise.withResolvers<Response>().promise],
  ] as const)
    test(`${what} is abandoned`, async () => {
      const { clock, client, failure } = bench({}, { fetch, maxAttempts: 2 });
      const error = await failure(client.me());
      assert.ok(error instanceof TimeoutError);
      assert.deepEqual([error.timeoutMs, error.attempts, clock.pending], [30_000, 2, []]);
    });
});

test('whatever fails: all rows in order or a CofferError, in time, and no timer is left', async () => {
  const temporary = 'refused hang late bare-429 plain-503 503-retry-after cut';
  const lasting = 'not-json bad-gateway-page wrong-shape forbidden';
  const faults = `${temporary} ${lasting}`.split(' ') as Fault[];
  const schedule = fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant<Fault>('none') },
      { weight: 2, arbitrary: fc.constantFrom(...faults) },
    ),
    { maxLength: 60 },
  );
  const limits = {
    limit: fc.integer({ min: 1, max: 30 }),
    windowMs: fc.integer({ min: 1_000, max: 60_000 }),
  };
  const tries = {
    maxAttempts: fc.integer({ min: 1, max: 12 }),
    maxElapsedMs: fc.integer({ min: 1, max: 200_000 }),
  };
  await fc.assert(
    fc.asyncProperty(
      schedule,
      fc.record(limits),
      fc.record(tries),
      fc.integer({ min: 0, max: 25 }),
      fc.nat(),
      async (faultsInTurn, window, options, rows, seed) => {
        const { clock, client } = bench(
          { ...window, rows, fault: inTurn(...faultsInTurn) },
          options,
          seed,
        );
        const ids: number[] = [];
        let pageStartMs = clock.nowMs();
        const work = (async () => {
          for await (const page of client.transactions.pages({ limit: 3 })) {
            assert.ok(clock.nowMs() - pageStartMs <= options.maxElapsedMs);
            pageStartMs = clock.nowMs();
            ids.push(...page.transactions.map(({ id }) => id));
          }
        })();
        const error = await clock.run(work).then(
          () => null,
          (reason: unknown) => reason,
        );
        assert.ok(clock.nowMs() - pageStartMs <= options.maxElapsedMs);
        assert.ok(error === null || error instanceof CofferError, inspect(error));
        assert.deepEqual(
          ids,
          ids.map((_, place) => place + 1),
        );
        if (error === null) assert.equal(ids.length, rows);
        assert.deepEqual(
          clock.pending.filter(({ delayMs }) => delayMs > 20_000),
          [],
        );
      },
    ),
    { numRuns: runs(400) },
  );
});
