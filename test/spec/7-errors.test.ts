import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sixHeaders } from '../service/document-check.ts';
import { header, numberIn, newAddress } from '../service/http-exchange.ts';
import { startServiceWith } from '../service/started-service.ts';
import { ManualClock } from '../../packages/server/src/limiter/testing/manual-clock.ts';

const clock = new ManualClock(5_000_000, 1_700_000_000_250_000);
const clocked = await startServiceWith(clock);
after(() => clocked.close());

async function useUp(from: string): Promise<void> {
  await Promise.all(Array.from({ length: 100 }, () => clocked.ask('/v2/me', { from, as: null })));
}

test('7 429 has the fixed message, one error, Retry-After and the six headers', async () => {
  const from = newAddress();
  await useUp(from);
  const answer = await clocked.ask('/v2/transactions', { from });
  assert.equal(answer.status, 429);
  assert.deepEqual(JSON.parse(answer.text), {
    message: 'Too Many Requests',
    errors: [{ errMsg: 'Too many requests, please try again later.' }],
  });
  assert.match(header(answer, 'Retry-After'), /^[1-9]\d*$/);
  for (const name of sixHeaders) assert.match(header(answer, name), /^\d+$/);
  assert.equal(header(answer, 'RateLimit-Remaining'), '0');
});

test('7 Retry-After is the seconds until the window resets, rounded up', async () => {
  const from = newAddress();
  await useUp(from);
  for (const [passMs, seconds] of [
    [0, 60],
    [1, 60],
    [998, 60],
    [1, 59],
    [0.5, 59],
    [57_999, 2],
    [0.5, 1],
    [999.5, 1],
    [0.25, 1],
  ] as const) {
    clock.advance(passMs);
    const answer = await clocked.ask('/v2/me', { from });
    assert.equal(answer.status, 429);
    assert.equal(numberIn(answer, 'Retry-After'), seconds);
  }
  clock.advance(0.25);
  assert.equal((await clocked.ask('/v2/me', { from })).status, 200);
});
