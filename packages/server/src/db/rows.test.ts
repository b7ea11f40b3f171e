import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import type { Engine } from './engine.ts';
import { find, rowAs, select, type rowsAs } from './rows.ts';
import { bytes, flag, integer, nullable, oneOf, text } from './table.ts';
import { books, categories, users } from './tables/tables.ts';
import { engines } from './testing/engines.ts';
import { deleteRows, insertRow, insertRows, insertRowUnlessTaken, updateRows } from './writes.ts';

const time = '2026-01-01T00:00:00.000Z';
const times = { created_at: time, updated_at: time };

for (const { name, skip, open } of engines)
  describe(`rows on ${name}`, { skip }, () => {
    let engine: Engine;
    let book_id: number;
    before(async () => {
      engine = await open();
      book_id = await engine.write(function* () {
        const user = yield* insertRow(users, { email: 'a@b.c', name: 'A', created_at: time });
        const book = { user_id: user.id, name: 'B', primary_currency: 'usd', created_at: time };
        return (yield* insertRow(books, book)).id;
      });
    });

    const insert = (values: object) =>
      engine.write(() => insertRow(categories, { book_id, ...times, ...values }));

    it('are inserted with the defaults of the database, and read back as they were returned', async () => {
      const inserted = await insert({ name: 'Food', is_income: true });
      assert.deepEqual(inserted, {
        id: inserted.id,
        book_id,
        name: 'Food',
        description: null,
        is_income: true,
        exclude_from_budget: false,
        exclude_from_totals: false,
        is_group: false,
        group_id: null,
        sort_order: null,
        collapsed: false,
        archived_at: null,
        ...times,
      });
      const found = await engine.read(() => find(categories, { id: inserted.id }));
      assert.deepEqual(found, inserted);
      const missing = engine.read(() => find(categories, { id: inserted.id + 1000 }));
      assert.equal(await missing, undefined);
    });

    it('are selected by equal values, including null, and sorted and limited', async () => {
      for (const [each, sort_order] of Object.entries({ p: 2, q: null, r: 1 }))
        await insert({ name: each, description: 'selected', sort_order });
      const namesOf = (where: object, options: object = {}) =>
        engine.read(function* () {
          const found = yield* select(categories, { description: 'selected', ...where }, options);
          return found.map((row) => row.name).join('');
        });
      for (const [names, where, options] of [
        ['pqr', {}],
        ['q', { sort_order: null }],
        ['pqr', { sort_order: undefined }],
        ['r', { is_income: false, name: 'r' }],
        ['pq', {}, { orderBy: ['name'], limit: 2 }],
        ['rp', {}, { and: sql`sort_order > ${0}`, orderBy: ['sort_order'] }],
      ] as const)
        assert.equal(await namesOf(where, options), names);
      const message = 'The table categories has no column "colour"';
      await assert.rejects(namesOf({ colour: 1 }), { message });
    });

    it('are checked against a shape', async () => {
      const values = sql`SELECT CAST(1 AS BIGINT) AS a, CAST('x' AS TEXT) AS b, NULL AS c`;
      const read = <S extends Parameters<typeof rowsAs>[0]>(shape: S) =>
        engine.read(() => rowAs(shape, values));
      assert.deepEqual(await read({ a: integer, b: text }), { a: 1, b: 'x', c: null });
      assert.equal((await read({ a: flag }))?.['a'], true);
      assert.equal((await read({ b: oneOf('x', 'y'), c: nullable(text) }))?.['b'], 'x');
      const refused: [Parameters<typeof rowsAs>[0], string][] = [
        [{ a: text }, 'The column "a" is 1: expected text'],
        [{ b: integer }, 'The column "b" is "x": expected integer'],
        [{ b: oneOf('y', 'z') }, 'The column "b" is "x": expected one of y, z'],
        [{ b: bytes }, 'The column "b" is "x": expected bytes'],
        [{ c: text }, 'The column "c" is null: expected text'],
        [{ d: integer }, 'The column "d" is undefined: expected integer'],
      ];
      for (const [shape, message] of refused) await assert.rejects(read(shape), { message });
    });

    it('are inserted many at once, and updated and deleted by a condition', async () => {
      const where = { book_id, is_group: true };
      const all = ['x', 'y', 'z'].map((each) => ({ ...where, ...times, name: each }));
      await engine.write(() => insertRows(categories, all));
      await engine.write(() => insertRows(categories, []));
      const groups = () => engine.read(() => select(categories, where));
      const ids = (await groups()).map(({ id }) => id);
      assert.equal(ids.length, 3);
      await engine.write(() => updateRows(categories, where, { collapsed: true }, ids.slice(1)));
      assert.equal((await groups()).map(({ collapsed }) => collapsed).join(), 'false,true,true');
      await engine.write(() => deleteRows(categories, { ...where, name: 'y' }));
      assert.equal((await groups()).map((row) => row.name).join(), 'x,z');
      for (const all of [
        () => deleteRows(categories, {}),
        () => updateRows(categories, {}, { name: 'all' }),
      ])
        await assert.rejects(engine.write(all), {
          message: 'A write to categories needs a condition',
        });
    });

    it('are not inserted when their unique values are taken', async () => {
      const user = { email: 'A@b.c', name: 'other', created_at: time };
      assert.equal(await engine.write(() => insertRowUnlessTaken(users, user)), undefined);
      const email = 'new@b.c';
      const other = await engine.write(() => insertRowUnlessTaken(users, { ...user, email }));
      assert.equal(other?.email, email);
    });
  });
