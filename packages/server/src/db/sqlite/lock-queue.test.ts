import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, it } from 'node:test';
import { DatabaseError } from '../errors.ts';
import { LockQueue } from './lock-queue.ts';

const busy = new DatabaseError('busy', 'held');
const refusal = { name: 'DatabaseError', kind: 'busy', message: /has locked the database/ };
const longMs = 60_000;

describe('operations that need a lock', () => {
  let isHeld = true;
  let attempts: string[] = [];
  const events = new EventEmitter();
  const newQueue = (): LockQueue => {
    isHeld = true;
    attempts = [];
    return new LockQueue();
  };
  const work = (name: string) => (): string => {
    attempts.push(name);
    events.emit('attempt');
    if (isHeld) throw busy;
    return name;
  };
  /** Resolves after so many attempts. */
  const tried = async (times: number): Promise<void> => {
    while (attempts.length < times) await once(events, 'attempt');
  };

  it('do not wait if it is free', async () => {
    const queue = newQueue();
    isHeld = false;
    const result = queue.run(work('a'), 0);
    assert.deepEqual(attempts, ['a'], 'already done');
    assert.equal(await result, 'a');
  });

  it('run in order of arrival, and only the first one retries', async () => {
    const queue = newQueue();
    const done: string[] = [];
    const all = ['a', 'b', 'c'].map(async (name) => done.push(await queue.run(work(name), longMs)));
    await tried(5);
    assert.deepEqual([...new Set(attempts)], ['a']);
    isHeld = false;
    await Promise.all(all);
    assert.deepEqual(done, ['a', 'b', 'c']);
    assert.deepEqual(attempts.slice(-3), ['a', 'b', 'c']);
  });

  it('time out each at its own deadline, not one after another', async () => {
    const queue = newQueue();
    const patient = queue.run(work('patient'), longMs);
    const refused = Array.from({ length: 50 }, () => queue.run(work('hasty'), 30));
    const outcomes = await Promise.allSettled(refused);
    const ofPatient = attempts.length;
    assert.ok(ofPatient < 50, `all end together, not each after ${ofPatient} more attempts`);
    for (const outcome of outcomes) {
      assert.equal(outcome.status, 'rejected');
      assert.equal((outcome.reason as DatabaseError).kind, 'busy');
    }
    isHeld = false;
    assert.equal(await patient, 'patient');
    assert.ok(!attempts.includes('hasty'));
  });

  it('are rejected at once with a wait of 0, even if others wait', async () => {
    const queue = newQueue();
    await assert.rejects(queue.run(work('a'), 0), refusal);
    const waiting = queue.run(work('b'), longMs);
    isHeld = false;
    await assert.rejects(queue.run(work('c'), 0), refusal);
    assert.equal(await waiting, 'b');
    assert.ok(!attempts.includes('c'));
  });

  it('continue after one that fails', async () => {
    const queue = newQueue();
    const fault = new Error('fault');
    const first = queue.run(work('a'), longMs);
    const second = queue.run(() => {
      throw fault;
    }, longMs);
    const third = queue.run(work('c'), longMs);
    isHeld = false;
    await assert.rejects(second, fault);
    assert.deepEqual(await Promise.all([first, third]), ['a', 'c']);
  });

  it('are rejected at once when the database is closed', { timeout: 60_000 }, async () => {
    const queue = newQueue();
    const waiting = [queue.run(work('a'), longMs), queue.run(work('b'), longMs)];
    queue.close();
    for (const one of waiting) await assert.rejects(one, refusal);
  });
});
