import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { sixHeaders } from '../service/document-check.ts';
import { header, numberIn, type Answer, newAddress } from '../service/http-exchange.ts';
import { startService, startServiceWith, type Asking } from '../service/started-service.ts';
import { ManualClock } from '../../packages/server/src/limiter/testing/manual-clock.ts';
import { runs } from '../../packages/core/src/testing/length.ts';

const service = await startService();
after(() => service.close());
const clock = new ManualClock(5_000_000, 1_700_000_000_250_000);
const clocked = await startServiceWith(clock);
after(() => clocked.close());

/** Requests under the two prefixes with different outcomes. */
const outcomes: readonly (readonly [number, string, Asking?])[] = [
  [200, '/v2/transactions'],
  [200, '/v2/me', { method: 'HEAD' }],
  [304, '/v2/me', { headers: ['If-None-Match', '*'] }],
  [204, '/v2/me', { method: 'OPTIONS' }],
  [400, '/v2/transactions?limit=0'],
  [400, '/v2/%zz'],
  [401, '/v2/me', { as: null }],
  [404, '/v2/transactions/999999'],
  [404, '/v2/nothing'],
  [404, '/v1/mine'],
  [200, '/v1/me'],
  [404, '/v2/crypto/synced/1/refresh', { method: 'POST' }],
  [405, '/v2/me', { method: 'DELETE' }],
];

function burst(count: number, from: string): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, () => clocked.ask('/v2/me', { from })));
}

function statuses(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('8.1 all requests under the two prefixes count once, whatever their outcome', async () => {
  const from = newAddress();
  let remaining = 100;
  for (const [status, target, asking] of outcomes) {
    const answer = await clocked.ask(target, { ...asking, from });
    remaining -= 1;
    assert.equal(answer.status, status, target);
    assert.equal(numberIn(answer, 'RateLimit-Remaining'), remaining, target);
  }
});

test('8.2, 8.3 the quota is for a minute from the first request: over it all are 429, and then it is full', async () => {
  const from = newAddress();
  assert.deepEqual(statuses(await burst(60, from)), { 200: 60 });
  clock.advance(29_999);
  assert.deepEqual(statuses(await burst(60, from)), { 200: 40, 429: 20 });
  clock.advance(30_000);
  assert.deepEqual(statuses(await burst(3, from)), { 429: 3 });
  clock.advance(1);
  assert.deepEqual(statuses(await burst(120, from)), { 200: 100, 429: 20 });
});

test('8.2 a client is an address: other addresses and tokens do not change its quota', async () => {
  const [one, other] = [newAddress(), newAddress()];
  const asked = await Promise.all(
    Array.from({ length: 120 }, (_, n) =>
      clocked.ask('/v2/me', { from: one, as: n % 2 ? clocked.ada : clocked.ben }),
    ),
  );
  assert.deepEqual(statuses(asked), { 200: 100, 429: 20 });
  assert.deepEqual(statuses(await burst(1, other)), { 200: 1 });
});

/** `ask` compares the older names with the others, and finds other values than integers. */
test('8 all responses, 8 X-RateLimit-Limit, 8 X-RateLimit-Remaining, 8 X-RateLimit-Reset, 8 integers are in each of them, exactly once', async () => {
  const spent = newAddress();
  await burst(100, spent);
  const refused = outcomes.map(([, target, asking]) => [429, target, { ...asking, from: spent }]);
  for (const [status, target, asking] of [...outcomes, ...refused] as typeof outcomes) {
    const answer = await clocked.ask(target, asking);
    assert.equal(answer.status, status);
    for (const name of sixHeaders) {
      assert.equal(answer.lines[name.toLowerCase()]?.length, 1, `${name}: ${status} ${target}`);
    }
  }
});

test('8 RateLimit-Limit, 8 RateLimit-Remaining are 100, and from 99 to 0 by one, where it stays', async () => {
  const answers = await burst(105, newAddress());
  for (const answer of answers) assert.equal(header(answer, 'RateLimit-Limit'), '100');
  const remaining = answers.map((answer) => numberIn(answer, 'RateLimit-Remaining'));
  const expected = Array.from({ length: 105 }, (_, n) => Math.max(0, 99 - n));
  const shown = remaining.toSorted((a, b) => b - a);
  assert.deepEqual(shown, expected);
});

test('8 RateLimit-Reset is the end of the window in epoch seconds, rounded up, for all of it', async () => {
  const from = newAddress();
  const reset = Math.ceil((clock.wallMs() + 60_000) / 1000);
  const [first] = await burst(1, from);
  assert.equal(numberIn(first!, 'RateLimit-Reset'), reset);
  for (const passMs of [1, 250.5, 499, 700, 20_000, 38_000]) {
    clock.advance(passMs);
    const answer = await clocked.ask('/v2/nothing', { from });
    assert.equal(numberIn(answer, 'RateLimit-Reset'), reset);
  }
  clock.advance(60_000);
  assert.ok(numberIn(await clocked.ask('/v2/me', { from }), 'RateLimit-Reset') > reset);
});

test('8 advice 1 a client that waits for Retry-After or for the reset is not refused again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 59_999_999 }), fc.boolean(), async (us, byReset) => {
      const from = newAddress();
      await burst(100, from);
      clock.advance(us / 1000);
      const refused = await clocked.ask('/v2/me', { from });
      assert.equal(refused.status, 429);
      const untilResetMs = 1000 * numberIn(refused, 'RateLimit-Reset') - clock.wallMs();
      const waitMs = 1000 * numberIn(refused, 'Retry-After');
      assert.ok(waitMs >= 1000 && waitMs <= 60_000);
      clock.advance(byReset ? untilResetMs : waitMs);
      assert.equal((await clocked.ask('/v2/me', { from })).status, 200);
    }),
    { numRuns: runs(12), interruptAfterTimeLimit: 10_000, markInterruptAsFailure: false },
  );
});

test('8 advice 2 a client that stops when nothing remains is never refused', async () => {
  const from = newAddress();
  let remaining = Infinity;
  for (let hits = 0; remaining > 0; hits += 1) {
    assert.ok(hits < 100);
    const answer = await clocked.ask('/v2/me', { from });
    assert.equal(answer.status, 200);
    remaining = numberIn(answer, 'RateLimit-Remaining');
  }
});

test('8 advice 3 one list replaces many single requests, and dates make it shorter', async () => {
  const whole = await service.list('include_metadata=true&include_files=true');
  for (const row of whole.transactions.slice(-3)) {
    const { text } = await service.ask(`/v2/transactions/${row.id}`);
    assert.deepEqual(JSON.parse(text), row);
  }
  const { transactions } = await service.list('start_date=2024-02-01&end_date=2024-02-29');
  assert.ok(transactions.length > 0 && transactions.length < whole.transactions.length);
});
