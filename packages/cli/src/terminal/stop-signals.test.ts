import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { mock, test } from 'node:test';
import { catchStopSignals } from './stop-signals.ts';

function catchAt(clock: { ms: number }, delayMs?: number) {
  const now = (): Date => new Date(clock.ms);
  const out = new PassThrough();
  const force = mock.fn();
  const context = {
    stdin: out,
    stdout: out,
    stderr: out,
    isTerminal: false,
    environment: {},
    now,
  };
  return { ...catchStopSignals(context, force, delayMs), force };
}

test('the first signal requests an orderly end', async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const { requested, release, force } = catchAt({ ms: 0 });
    process.emit(signal);
    await requested;
    assert.equal(force.mock.callCount(), 0);
    release();
  }
});

test('a signal that is repeated within a second counts once', () => {
  const clock = { ms: 0 };
  const { release, force } = catchAt(clock);
  process.emit('SIGINT');
  clock.ms = 999;
  process.emit('SIGINT');
  assert.equal(force.mock.callCount(), 0);
  clock.ms = 1000;
  process.emit('SIGTERM');
  assert.equal(force.mock.callCount(), 1);
  release();
});

test('the end is forced eight seconds after the signal and the delay', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const delayMs of [undefined, 5000]) {
    const { release, force } = catchAt({ ms: 0 }, delayMs);
    t.mock.timers.tick(60_000);
    process.emit('SIGTERM');
    t.mock.timers.tick((delayMs ?? 0) + 7999);
    assert.equal(force.mock.callCount(), 0);
    t.mock.timers.tick(1);
    assert.equal(force.mock.callCount(), 1);
    release();
  }
});

test('release removes the listeners', () => {
  const before = process.listenerCount('SIGTERM');
  const { release } = catchAt({ ms: 0 });
  assert.equal(process.listenerCount('SIGTERM'), before + 1);
  release();
  assert.equal(process.listenerCount('SIGTERM'), before);
  assert.equal(process.listenerCount('SIGINT'), 0);
});
