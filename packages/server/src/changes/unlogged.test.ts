import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import type { Engine } from '../db/engine.ts';
import { rows } from '../db/engine.ts';
import { find } from '../db/rows.ts';
import { books, tags, users } from '../db/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { newBook } from '../resources/users/testing/new-book.ts';
import { deleteUnlogged, insertUnlogged, updateUnlogged } from './unlogged.ts';

const created_at = '2026-01-01T00:00:00.000Z';

for (const { name, skip, open } of engines) {
  describe(`rows that are not records of a book, on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open();
    });

    it('are inserted, updated and deleted without a version or a line in the log', async () => {
      const book = await newBook(engine);
      const known = await engine.read(() => find(books, { id: book.id }));
      const user = await engine.write(() =>
        insertUnlogged(users, { email: 'a@example.org', name: 'A', created_at }),
      );
      const findUser = () => engine.read(() => find(users, { id: user.id }));
      assert.deepEqual(await findUser(), user);
      await engine.write(() => updateUnlogged(users, { id: user.id }, { name: 'B' }));
      assert.deepEqual(await findUser(), { ...user, name: 'B' });
      await engine.write(() => deleteUnlogged(users, { id: user.id }));
      assert.equal(await findUser(), undefined);
      assert.deepEqual(await engine.read(() => find(books, { id: book.id })), known);
      assert.deepEqual(await engine.read(() => rows(sql`SELECT * FROM changes`)), []);
      assert.deepEqual(await engine.read(() => rows(sql`SELECT * FROM changed_records`)), []);
    });

    it('are never written without a condition', async () => {
      const refused = { message: 'A write to users needs a condition' };
      const emptied = engine.write(() => deleteUnlogged(users, {}));
      await assert.rejects(emptied, refused);
      const renamed = engine.write(() => updateUnlogged(users, {}, { name: 'all' }));
      await assert.rejects(renamed, refused);
      // @ts-expect-error A table of records must be written through a change.
      assert.ok(() => deleteUnlogged(tags, { id: 1 }));
    });
  });
}
