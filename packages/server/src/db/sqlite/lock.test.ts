import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { DatabaseError } from '../errors.ts';
import { newFolder } from '../testing/folder.ts';
import { lockDatabase, type Occupation } from './files.ts';
import { LockQueue } from './lock-queue.ts';

const busy = new DatabaseError('busy', 'held');
const refusal = { name: 'DatabaseError', kind: 'busy', message: /has locked the database/ };
const longMs = 60_000;

describe('operations that need a lock', () => {
  let isHeld: boolean;
  let attempts: string[];
  const events = new EventEmitter();
  let queue: LockQueue;
  beforeEach(() => {
    isHeld = true;
    attempts = [];
    queue = new LockQueue();
  });
  const work = (name: string) => (): string => {
    attempts.push(name);
    events.emit('attempt');
    if (isHeld) throw busy;
    return name;
  };
  const tried = async (times: number): Promise<void> => {
    while (attempts.length < times) await once(events, 'attempt');
  };

  it('do not wait if it is free', async () => {
    isHeld = false;
    const result = queue.run(work('a'), 0);
    assert.deepEqual(attempts, ['a'], 'already done');
    assert.equal(await result, 'a');
  });

  it('run in order of arrival, and only the first one retries', async () => {
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

  it('time out when they are the first, too', { timeout: 60_000 }, async () => {
    await assert.rejects(queue.run(work('a'), 30), refusal);
    isHeld = false;
    assert.equal(await queue.run(work('b'), longMs), 'b');
  });

  it('are rejected at once with a wait of 0, even if others wait', async () => {
    await assert.rejects(queue.run(work('a'), 0), refusal);
    const waiting = queue.run(work('b'), longMs);
    isHeld = false;
    await assert.rejects(queue.run(work('c'), 0), refusal);
    assert.equal(await waiting, 'b');
    assert.ok(!attempts.includes('c'));
  });

  it('continue after one that fails', async () => {
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
    const waiting = [queue.run(work('a'), longMs), queue.run(work('b'), longMs)];
    queue.close();
    for (const one of waiting) await assert.rejects(one, refusal);
  });
});

let folder: string;
let database: string;
beforeEach(() => {
  folder = newFolder();
  database = join(folder, 'coffer.db');
});

const lock = (occupation: Occupation, path = database) => lockDatabase(path, occupation, 0);

describe('the lock of a database', () => {
  it('allows commands beside a command or a server, and nothing else together', () => {
    const together = ['command command', 'command server', 'server command'];
    const all = ['command', 'server', 'restore'] as const;
    for (const first of all)
      for (const second of all) {
        const held = lock(first);
        const both = `${first} ${second}`;
        if (together.includes(both)) lock(second).release();
        else assert.throws(() => lock(second), { name: 'DatabaseInUseError' }, both);
        held.release();
        lock(second).release();
      }
  });

  it('is an empty file that only its owner can read, without a journal', () => {
    const held = lock('server');
    assert.deepEqual(readdirSync(folder), ['coffer.db-lock']);
    const { mode, size } = statSync(`${database}-lock`);
    assert.deepEqual([mode & 0o777, size], [0o600, 0]);
    held.release();
    assert.deepEqual(readdirSync(folder), ['coffer.db-lock']);
    assert.equal(statSync(`${database}-lock`).size, 0);
  });

  it('is the same for all names of a database', () => {
    writeFileSync(database, '');
    const link = join(folder, 'link.db');
    symlinkSync(database, link);
    const held = lock('server', link);
    assert.throws(() => lock('server'), { name: 'DatabaseInUseError' });
    held.release();
  });

  it('is not left next to a file that is not a database', () => {
    writeFileSync(database, 'Dear diary, '.repeat(100));
    lock('command').release();
    lock('command', folder).release();
    assert.deepEqual(readdirSync(folder), ['coffer.db']);
    assert.ok(!existsSync(`${folder}-lock`));
  });

  it('throws a DatabaseError if its file cannot be created', () => {
    const nowhere = join(folder, 'nowhere', 'coffer.db');
    const refused = { name: 'DatabaseError', kind: 'unavailable' };
    assert.throws(() => lock('server', nowhere), refused);
  });

  it('is not needed by a database in memory', () => {
    lock('server', ':memory:');
    lock('server', ':memory:');
    assert.ok(!existsSync(':memory:-lock'));
  });

  it('is released when its process is killed', { timeout: 20_000 }, async () => {
    const module = new URL('files.ts', import.meta.url).href;
    const script = `
      const { lockDatabase } = await import(${JSON.stringify(module)});
      lockDatabase(${JSON.stringify(database)}, 'server', 0);
      // Nothing refers to the lock, but it must not be collected as garbage.
      globalThis.gc();
      console.log('held');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script]);
    after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    assert.throws(() => lock('server'), { name: 'DatabaseInUseError' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    lock('restore').release();
  });
});
