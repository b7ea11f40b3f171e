import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';

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
