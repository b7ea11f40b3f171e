import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from './clock.ts';

describe('clock of the machine', () => {
  it('counts the running millisecond of the wall clock as over', (t) => {
    t.mock.method(Date, 'now', () => 1_700_000_000_123);
    assert.equal(systemClock.wallMs(), 1_700_000_000_124);
  });

  it('does not let the wall clock move monotonic time', (t) => {
    const beforeMs = systemClock.monotonicMs();
    t.mock.method(Date, 'now', () => 0);
    const afterMs = systemClock.monotonicMs();
    assert.ok(beforeMs >= 0 && afterMs >= beforeMs);
  });
});
