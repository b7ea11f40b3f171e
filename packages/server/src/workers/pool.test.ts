import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, beforeEach, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { isDatabaseError } from '../db/errors.ts';
import { WorkerPool, FairQueue, type PoolOptions, type TaskOptions } from './pool.ts';
import type { TestTask } from './testing/test-worker.ts';
import fc from 'fast-check';

const isUnavailable = (error: unknown): boolean => isDatabaseError(error, 'unavailable');
const entry = new URL('./testing/test-worker.ts', import.meta.url);
const pools: WorkerPool[] = [];
let spawned: Worker[] = [];
beforeEach(() => void (spawned = []));
after(() => Promise.all(pools.map((pool) => pool.close())));

function openPool(options: Partial<PoolOptions> = {}) {
  const pool = new WorkerPool({
    mostThreads: 2,
    errorOf: (plain) => new Error(String(plain)),
    spawn: () => {
      const worker = new Worker(entry, { execArgv: [] });
      spawned.push(worker);
      return worker;
    },
    ...options,
  });
  pools.push(pool);
  const run = (task: TestTask, more: Partial<TaskOptions> = {}) =>
    pool.run(task, { bookId: 1, isWriting: false, ...more });
  return { pool, run };
}

/** A gate that keeps a thread waiting until it is opened. */
function newGate() {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const open = (): void => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  return { gate, open };
}

/** Resolves when a task has begun. */
function begun() {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  return { promise, onProgress: resolve };
}

test('returns values and bytes, and errors as they were', async () => {
  const { pool, run } = openPool();
  assert.deepEqual(pool.counts, { threads: 0, running: 0, waiting: 0 });
  const value = { text: 'é', none: undefined, list: [1n, null], bytes: Uint8Array.of(1, 2) };
  const result = await run({ is: 'value', value });
  assert.deepEqual(result.value, value);
  assert.equal(Buffer.concat(result.pieces).toString(), 'shared memory');
  await assert.rejects(run({ is: 'throw', message: 'no' }), { message: 'no' });
  assert.deepEqual(pool.counts, { threads: 1, running: 0, waiting: 0 });
  assert.equal(spawned.length, 1);
});

test('a thread returns empty bytes more than once', async () => {
  const { run } = openPool();
  for (let each = 0; each < 2; each += 1) {
    const { pieces } = await run({ is: 'value', value: null });
    assert.equal(Buffer.concat(pieces).toString(), 'shared memory');
  }
});

test('one book cannot have all threads, and only one task writes', async () => {
  const { pool, run } = openPool();
  const [first, second] = [newGate(), newGate()];
  const order: string[] = [];
  const note = (name: string) => (): void => void order.push(name);
  const [one, other] = [begun(), begun()];
  const writes = { isWriting: true } as const;
  const all = [
    run({ is: 'wait', gate: first.gate }, { ...writes, ...one }).then(note('write of 1')),
    run({ is: 'value', value: 0 }, { ...writes, bookId: 2 }).then(note('write of 2')),
    run({ is: 'wait', gate: second.gate }, other).then(note('read of 1')),
    run({ is: 'value', value: 0 }).then(note('second read of 1')),
    run({ is: 'value', value: 0 }, { bookId: 3 }).then(note('read of 3')),
  ];
  await Promise.all([one.promise, other.promise]);
  assert.deepEqual(pool.counts, { threads: 2, running: 2, waiting: 3 });
  second.open();
  await Promise.all(all.slice(2));
  assert.deepEqual(order, ['read of 1', 'second read of 1', 'read of 3']);
  first.open();
  await Promise.all(all);
  assert.deepEqual(order.slice(3), ['write of 1', 'write of 2']);
});

test('a stream is read as it is taken, and occupies no thread meanwhile', async () => {
  const { pool, run } = openPool({ mostThreads: 2 });
  const { stream } = await run({ is: 'stream', pieces: 50, bytes: 100_000 });
  const pieces = stream![Symbol.asyncIterator]();
  const first = (await pieces.next()).value as Uint8Array;
  assert.deepEqual([first.length, first[0]], [100_000, 0]);
  // Another one of the same thread.
  const { value } = await run({ is: 'value', value: 'meanwhile' });
  assert.equal(value, 'meanwhile');
  let read = 1;
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    assert.equal(next.value[0], read);
    read += 1;
  }
  assert.equal(read, 50);
  assert.equal(pool.counts.running, 0);
});

test('an abort drops what waits, and ends what runs', async () => {
  const { pool, run } = openPool();
  const [waiting, running] = [new AbortController(), new AbortController()];
  const task = begun();
  const ran = run({ is: 'cancelled' }, { ...task, signal: running.signal });
  await task.promise;
  const waited = run({ is: 'value', value: 0 }, { signal: waiting.signal });
  assert.deepEqual(pool.counts, { threads: 1, running: 1, waiting: 1 });
  waiting.abort();
  await assert.rejects(waited, { name: 'AbortError' });
  assert.equal(pool.counts.waiting, 0);
  running.abort();
  await assert.rejects(ran, { name: 'AbortError' });
  // The thread goes on with others.
  assert.equal((await run({ is: 'value', value: 1 })).value, 1);
  assert.equal(spawned.length, 1);
  await assert.rejects(run({ is: 'value', value: 0 }, { signal: AbortSignal.abort() }));
});

test('a thread that does not stop is ended, and others go on', async () => {
  const { run } = openPool({ graceMs: 0 });
  const leaving = new AbortController();
  const task = begun();
  const busy = run({ is: 'busy' }, { ...task, signal: leaving.signal });
  await task.promise;
  const next = run({ is: 'value', value: 2 });
  leaving.abort();
  await assert.rejects(busy, { name: 'AbortError' });
  assert.equal((await next).value, 2);
  assert.equal(spawned.length, 2);
});

test('the death of a thread fails its tasks alone', async () => {
  const { pool, run } = openPool();
  const { stream } = await run({ is: 'stream', pieces: 50, bytes: 100_000 });
  const pieces = stream![Symbol.asyncIterator]();
  await pieces.next();
  const { gate, open } = newGate();
  const dying = run({ is: 'die', gate });
  const waiting = run({ is: 'value', value: 'new thread' });
  open();
  await assert.rejects(dying, isUnavailable);
  assert.equal((await waiting).value, 'new thread');
  await assert.rejects(async () => {
    while ((await pieces.next()).done !== true);
  }, isUnavailable);
  assert.deepEqual(pool.counts, { threads: 1, running: 0, waiting: 0 });
});

test('a reader that leaves a stream ends it', async () => {
  const { pool, run } = openPool({ idleMs: 0 });
  const leaving = new AbortController();
  const { stream } = await run(
    { is: 'stream', pieces: 50, bytes: 100_000 },
    { signal: leaving.signal },
  );
  // Like the response to HEAD, of which nothing is read.
  leaving.abort();
  await assert.rejects(stream![Symbol.asyncIterator]().next());
  await once(spawned[0]!, 'exit');
  assert.equal(pool.counts.threads, 0);
});

test('threads end when they have nothing to do, and start again', async () => {
  const { pool, run } = openPool({ idleMs: 0 });
  await run({ is: 'value', value: 0 });
  await once(spawned[0]!, 'exit');
  assert.deepEqual(pool.counts, { threads: 0, running: 0, waiting: 0 });
  assert.equal((await run({ is: 'value', value: 3 })).value, 3);
});

test('a book has room for 20 tasks that wait, and all together for 200', async () => {
  const { pool, run } = openPool();
  const { gate, open } = newGate();
  const all = [1, 2].map((bookId) => run({ is: 'wait', gate }, { bookId }));
  const add = (bookId: number, count: number): void => {
    for (let at = 0; at < count; at += 1) all.push(run({ is: 'value', value: 0 }, { bookId }));
  };
  add(1, 19);
  assert.equal(pool.hasRoom(1), true);
  add(1, 1);
  assert.deepEqual([pool.hasRoom(1), pool.hasRoom(2)], [false, true]);
  for (let bookId = 3; bookId < 12; bookId += 1) add(bookId, 20);
  assert.equal(pool.hasRoom(12), false);
  open();
  await Promise.all(all);
  assert.equal(pool.hasRoom(1), true);
});

test('a closed pool refuses everything', async () => {
  const { pool, run } = openPool();
  const task = begun();
  const running = run({ is: 'busy' }, task);
  await task.promise;
  const waiting = run({ is: 'value', value: 0 });
  const all = Promise.allSettled([running, waiting]);
  await pool.close();
  for (const { status } of await all) assert.equal(status, 'rejected');
  await assert.rejects(run({ is: 'value', value: 0 }), isUnavailable);
});

interface Entry {
  readonly bookId: number;
  readonly n: number;
}

test('books take turns, and each keeps its order', () => {
  const queue = new FairQueue<Entry>();
  for (const [n, bookId] of [1, 1, 1, 2, 3, 1, 2].entries()) queue.add({ bookId, n });
  const taken: number[] = [];
  for (let next = queue.take(() => true); next !== undefined; next = queue.take(() => true))
    taken.push(next.n);
  assert.deepEqual(taken, [0, 3, 4, 1, 6, 2, 5]);
});

const steps = fc.array(
  fc.oneof(
    fc.record({ add: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ take: fc.subarray([1, 2, 3, 4], { minLength: 1 }) }),
    fc.record({ remove: fc.nat(30) }),
  ),
  { maxLength: 40 },
);

test('no entry is lost or doubled, and those of a book keep their order', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const queue = new FairQueue<Entry>();
      let waiting: Entry[] = [];
      for (const [n, step] of all.entries()) {
        if ('add' in step) {
          const entry = { bookId: step.add, n };
          queue.add(entry);
          waiting.push(entry);
        } else if ('take' in step) {
          const canRun = ({ bookId }: Entry): boolean => step.take.includes(bookId);
          const taken = queue.take(canRun);
          const first = waiting.find(({ bookId }) => bookId === taken?.bookId);
          assert.equal(taken, first);
          assert.equal(taken === undefined, !waiting.some(canRun));
          waiting = waiting.filter((each) => each !== taken);
        } else {
          const removed = queue.remove((each) => each.n === step.remove);
          assert.equal(
            removed,
            waiting.find((each) => each.n === step.remove),
          );
          waiting = waiting.filter((each) => each !== removed);
        }
        assert.equal(queue.length, waiting.length);
        for (const bookId of [1, 2, 3, 4])
          assert.equal(
            queue.lengthOf(bookId),
            waiting.filter((each) => each.bookId === bookId).length,
          );
      }
      assert.deepEqual(new Set(queue.clear()), new Set(waiting));
      assert.equal(queue.length, 0);
    }),
  );
});

test('a book waits for one turn of each other book at most', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 60 }), (books) => {
      const queue = new FairQueue<Entry>();
      for (const [n, bookId] of books.entries()) queue.add({ bookId, n });
      const order: number[] = [];
      for (let next = queue.take(() => true); next !== undefined; next = queue.take(() => true))
        order.push(next.bookId);
      for (const [at, bookId] of order.entries()) {
        const next = order.indexOf(bookId, at + 1);
        const between = order.slice(at + 1, next === -1 ? at + 1 : next);
        assert.equal(new Set(between).size, between.length);
      }
    }),
  );
});
