import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { raw } from 'sql-template-tag';
import { row, run } from '../engine.ts';
import { DatabaseError } from '../errors.ts';
import { newFolder } from '../testing/folder.ts';
import { LockQueue, turnsOf } from './lock-queue.ts';
import { openSqlite, type SqliteEngine } from './sqlite.ts';

const writes = 30;
const writer = new URL('../testing/steady-writer.ts', import.meta.url);
let path: string;
beforeEach(() => {
  path = join(newFolder(), 'coffer.db');
});

describe('a write beside others without a pause', { timeout: 100_000 }, () => {
  let engine: SqliteEngine;
  beforeEach(() => {
    engine = openSqlite({ path, busyTimeoutMs: 60_000 });
    engine.execute('CREATE TABLE written (x)');
  });
  afterEach(() => engine.close());

  /** Writes three times, each after the one before, and returns how many writes of the others there were. */
  async function countOthers(): Promise<number> {
    let count = 0;
    for (let each = 0; each < 3; each += 1)
      count = await engine.write(function* () {
        yield* run(raw('INSERT INTO written VALUES (0)'));
        const found = yield* row<{ n: number }>(
          raw('SELECT count(*) AS n FROM written WHERE x > 0'),
        );
        return found!.n;
      });
    return count;
  }

  it('has its turn after the one write of another thread that was first', async () => {
    const thread = new Worker(writer, { workerData: [path, String(writes)], execArgv: [] });
    await once(thread, 'message');
    const others = await countOthers();
    assert.ok(others <= 8, `${others} writes of the thread came before three of this one`);
    await once(thread, 'exit');
    assert.equal(await countOthers(), writes, 'nor does the other one starve');
  });

  it('has its turn before another process has done all of its own', async () => {
    const process_ = spawn(process.execPath, [writer.pathname, path, String(writes)]);
    await once(process_.stdout, 'data');
    const others = await countOthers();
    assert.ok(others < writes, `all ${others} writes of the process came before three of this one`);
    await once(process_, 'exit');
    assert.equal(await countOthers(), writes);
    assert.ok(!existsSync(`${path}-turn`), 'nobody waits');
  });

  it('does not stop for a thread that died, or a file that a killed process left', async () => {
    const turns = turnsOf(path);
    turns.join();
    writeFileSync(`${path}-turn`, '');
    assert.equal(await countOthers(), 0);
    assert.ok(turns.isFirst(turns.join()));
  });

  it('does not stop for a process that waits but is stopped', async () => {
    const stopped = new Database(`${path}-turn`);
    stopped.exec('BEGIN IMMEDIATE');
    assert.equal(await countOthers(), 0);
    stopped.close();
  });
});

describe('a line of threads', () => {
  const busy = new DatabaseError('busy', 'held');
  const longMs = 60_000;

  it('runs in order of arrival what was waiting when a turn came, and then the other thread', async ({
    mock,
  }) => {
    // A machine may be so busy that a turn seems to be a dead thread's.
    mock.method(performance, 'now', () => 0);
    // Two queues of one file are like those of two threads.
    const [one, other] = [new LockQueue(turnsOf(path)), new LockQueue(turnsOf(path))];
    const events = new EventEmitter();
    const done: string[] = [];
    let isHeld = true;
    const work = (name: string) => () => {
      events.emit('attempt');
      if (isHeld) throw busy;
      done.push(name);
    };
    const attempted = once(events, 'attempt');
    const all = [one.run(work('a'), longMs), one.run(work('b'), longMs)];
    all.push(other.run(work('c'), longMs), other.run(work('d'), longMs));
    await attempted;
    isHeld = false;
    all.push(one.run(work('e'), longMs));
    await Promise.all(all);
    assert.deepEqual(done.join(''), 'abcde');
  });

  it('is left by an operation whose client leaves, and ends when the queue is closed', async () => {
    const queue = new LockQueue(turnsOf(path));
    let isHeld = true;
    const work = () => {
      if (isHeld) throw busy;
      return 'done';
    };
    const leaving = new AbortController();
    const first = queue.run(work, longMs, leaving.signal);
    const second = queue.run(work, longMs);
    leaving.abort();
    await assert.rejects(first, { kind: 'busy' });
    isHeld = false;
    assert.equal(await second, 'done');
    isHeld = true;
    const third = queue.run(work, longMs);
    queue.close();
    await assert.rejects(third, { kind: 'busy' });
    assert.ok(!existsSync(`${path}-turn`));
  });
});
