import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { createClient, type Client } from '../index.ts';
import { bench } from '../testing/client-bench.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { runs } from '../../../core/src/testing/length.ts';

const patient = { maxElapsedMs: 86_400_000 };

async function walk(client: Client, limit: number): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of client.transactions.list({ limit })) ids.push(id);
  return ids;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, place) => place + 1);
/** From half a year slow to half a year fast. */
const skewMs = fc.integer({ min: -15_000_000_000, max: 15_000_000_000 });
const window = fc.record({
  limit: fc.integer({ min: 1, max: 120 }),
  windowMs: fc.integer({ min: 1_000, max: 90_000 }),
});

describe('the pace', () => {
  test('300 pages at 100 requests a minute get no 429 and take less than three and a half windows', async () => {
    const { clock, service, client } = bench({ rows: 3_000 }, patient);
    const startMs = clock.nowMs();
    assert.deepEqual(await clock.run(walk(client, 10)), numbers(3_000));
    assert.equal(service.count(429), 0);
    assert.equal(service.requests.length, 300);
    const seconds = (clock.nowMs() - startMs) / 1000;
    assert.ok(seconds < 210, `${seconds} s`);
  });

  test('a single client gets no 429, whatever the window, the latency and the clocks', async () => {
    await fc.assert(
      fc.asyncProperty(
        window,
        skewMs,
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 1, max: 60 }),
        fc.nat(),
        async ({ limit, windowMs }, skew, latencyMs, pages, seed) => {
          const epochMs = 1_790_000_000_000 + skew;
          const delayed = { epochMs, latencyMs: () => latencyMs };
          const simulation = { rows: pages * 2, limit, windowMs, ...delayed };
          const { clock, service, client } = bench(simulation, patient, seed);
          assert.deepEqual(await clock.run(walk(client, 2)), numbers(pages * 2));
          assert.equal(service.count(429), 0);
          assert.deepEqual(clock.pending, []);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  test('concurrent calls share one view of the window: none gets a 429, even right after the reset', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          limit: fc.integer({ min: 1, max: 40 }),
          // Resets are in whole seconds, which cannot always order the responses of two windows of one second.
          windowMs: fc.integer({ min: 2_000, max: 60_000 }),
        }),
        skewMs,
        fc.integer({ min: 2, max: 90 }),
        fc.nat(),
        async ({ limit, windowMs }, skew, calls, seed) => {
          const epochMs = 1_790_000_000_000 + skew;
          const jitter = new VirtualClock(seed);
          const latencyMs = (): number => jitter.random() * 200;
          const simulation = { rows: 1, limit, windowMs, epochMs, latencyMs };
          const { clock, service, client } = bench(simulation, patient, seed);
          await clock.run(Promise.all(numbers(calls).map(() => client.transactions.page())));
          assert.equal(service.requests.length, calls);
          assert.equal(service.count(429), 0);
          assert.deepEqual(clock.pending, []);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  test('independent clients at one address each get at most one 429 in a window', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 10, max: 120 }),
        fc.integer({ min: 2_000, max: 60_000 }),
        fc.integer({ min: 2, max: 3 }),
        fc.nat(),
        async (limit, windowMs, clients, seed) => {
          const jitter = new VirtualClock(seed);
          const latencyMs = (): number => 1 + jitter.random() * 30;
          const simulation = { rows: 100, limit, windowMs, latencyMs };
          const { clock, service } = bench(simulation, {}, seed);
          const base = { baseUrl: 'http://127.0.0.1', fetch: service.fetch, clock, ...patient };
          const walks = numbers(clients).map((n) =>
            walk(createClient({ ...base, token: `token-${n}` }), 1),
          );
          for (const ids of await clock.run(Promise.all(walks)))
            assert.deepEqual(ids, numbers(100));
          const refused = service.requests
            .filter(({ status }) => status === 429)
            .map(({ who, window: number }) => `${who} in window ${number}`);
          assert.deepEqual(refused, [...new Set(refused)]);
        },
      ),
      { numRuns: runs(40) },
    );
  });
});
