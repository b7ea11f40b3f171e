import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { insertMany, type Engine, type Steps } from '../db/engine.ts';
import { engines } from '../db/testing/engines.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { countsOf, recordsOfVersion, type Effect } from './effects.ts';

const columns = ['record', 'first_id', 'last_id', 'kind', 'diff', 'book_id', 'version', 'place'];

for (const { name, skip, open } of engines)
  describe(`a version with very many records on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open();
    });

    it('is counted without reading the lines of tables with each record once', async () => {
      const { id } = await newBook(engine);
      const lines = [
        ...Array.from({ length: 2000 }, (_, n) => [
          'transactions',
          2 * n + 1,
          '{"notes":["a","b"]}',
        ]),
        ['tags', 5, '{"name":["a","b"]}'],
        ['tags', 5, '{"name":["b","c"]}'],
      ];
      const rows = lines.map(([record, of, diff], place) => [
        record,
        of,
        of,
        'changed',
        diff,
        id,
        900,
        place,
      ]);
      await engine.write(() => insertMany('changed_records', columns, rows));
      const read: number[] = [];
      const counts = await engine.read(() => counting(countsOf(id, [900]), read));
      assert.deepEqual(counts.get(900), [
        { record: 'tags', kind: 'changed', count: 1 },
        { record: 'transactions', kind: 'changed', count: 2000 },
      ]);
      assert.deepEqual(read, [2, 2], 'both tables, and two lines');
    });

    it('is read in parts, in the same order', async () => {
      const { id } = await newBook(engine);
      const count = 2500;
      const diff = '{"notes":["a","b"]}';
      const many = Array.from({ length: count }, (_, n) => 2 * (count - n));
      const lines = [
        ['tags', 7, 9, 'changed', '{"name":["a","b"]}'],
        ...many.map((of) => ['transactions', of, of, 'changed', diff]),
        ['tags', 5, 5, 'changed', '{"name":["a","b"]}'],
        ['tags', 8, 8, 'changed', '{"name":["b","c"]}'],
      ];
      const rows = lines.map((line, place) => [...line, id, 900, place]);
      await engine.write(() => insertMany('changed_records', columns, rows));
      const read: number[] = [];
      const pageOf = (offset: number, limit: number): Promise<Effect[]> =>
        engine.read(() => counting(recordsOfVersion(id, 900, { offset, limit }), read));
      const all: Effect[] = [];
      while (all.length < count + 4) all.push(...(await pageOf(all.length, 333)));
      const names = all.map(({ table, id: of }) => `${table.name} ${of}`);
      const expected = many.toReversed().map((of) => `transactions ${of}`);
      assert.deepEqual(names, ['tags 5', 'tags 7', 'tags 8', 'tags 9', ...expected]);
      assert.deepEqual(all[2]!.after, { name: 'c' });
      assert.ok(all.slice(4).every(({ before }) => before?.['notes'] === 'a'));
      assert.deepEqual(await pageOf(count + 4, 1), []);
      assert.ok(Math.max(...read) <= 500, `${Math.max(...read)} rows at once`);
    });
  });

/** Runs steps, and notes how many rows each of their statements returns. */
function* counting<T>(steps: Steps<T>, read: number[]): Steps<T> {
  let next = steps.next();
  while (next.done !== true) {
    const result: unknown = yield next.value;
    if (Array.isArray(result)) read.push(result.length);
    next = steps.next(result);
  }
  return next.value;
}
