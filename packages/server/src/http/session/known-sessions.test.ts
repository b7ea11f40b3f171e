import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownSessions } from './known-sessions.ts';

const startMs = Date.parse('2026-01-01T00:00:00.000Z');
const [one, other] = [Buffer.from('one'), Buffer.from('other')];

test('a session is known for a minute after it was valid, also when the clock went back', () => {
  for (const [passedMs, isKnown] of [
    [0, true],
    [59_999, true],
    [60_000, false],
    [-1000, true],
    [-365 * 86_400_000, false],
  ] as const) {
    let nowMs = startMs;
    const known = new KnownSessions(() => nowMs);
    known.note(one, true);
    nowMs += passedMs;
    assert.equal(known.keyOf(one) !== null, isKnown, `${passedMs} ms`);
    assert.equal(known.keyOf(other), null);
    known.note(one, true);
    assert.notEqual(known.keyOf(one), null, 'its next request makes it known again');
    known.note(one, false);
    assert.equal(known.keyOf(one), null, 'it has ended');
  }
});

test('all are forgotten when ten thousand are known', () => {
  const known = new KnownSessions(() => startMs);
  for (let at = 0; at < 10_000; at += 1) known.note(Buffer.from(String(at)), true);
  assert.notEqual(known.keyOf(Buffer.from('0')), null);
  known.note(one, true);
  assert.deepEqual([known.keyOf(Buffer.from('0')), known.keyOf(one) !== null], [null, true]);
});
