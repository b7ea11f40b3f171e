import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { changing } from '../../changes/changing.ts';
import { changesSince } from '../../changes/testing/changes-since.ts';
import { undo } from '../../changes/undo.ts';
import type { Engine } from '../../db/engine.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { newBook } from '../users/testing/new-book.ts';
import { createCategory, listCategories, renameCategory } from './actions.ts';

for (const { name, skip, open } of usualEngines) {
  describe(`categories of a command on ${name}`, { skip }, () => {
    let engine: Engine;
    let bookId: number;
    const ids = new Map<string, number>();
    before(async () => {
      engine = await open();
      bookId = (await newBook(engine)).id;
      const cause = { bookId, actor: 'test', operation: 'fill' };
      await engine.write(() =>
        changing(cause, function* (change) {
          yield* createCategory(change, { name: 'Zoo' });
          yield* createCategory(change, {
            name: 'Home',
            is_group: true,
            children: ['Rent', 'Gas'],
          });
        }),
      );
      for (const each of await list()) ids.set(each.name, each.id);
    });

    const list = () => engine.read(() => listCategories(bookId));
    const namesOf = async () => (await list()).map((each) => each.name);
    const rename = (from: string, to: string, book = bookId) =>
      engine.write(() => renameCategory(book, ids.get(from)!, to));

    it('are listed by name, each group before its members', async () => {
      assert.deepEqual(await namesOf(), ['Home', 'Gas', 'Rent', 'Zoo']);
    });

    it('are renamed by one version of the book, which can be undone', async () => {
      await rename('Rent', 'Flat');
      assert.deepEqual(await namesOf(), ['Home', 'Flat', 'Gas', 'Zoo']);
      const [last] = await engine.read(() => changesSince(bookId, 2));
      assert.deepEqual(last, { version: 3, operation: 'category rename' });
      const cause = { bookId, actor: 'test', operation: 'undo' };
      await engine.write(() => changing(cause, (change) => undo(change, 3)));
      assert.deepEqual(await namesOf(), ['Home', 'Gas', 'Rent', 'Zoo']);
    });

    it('do not get a name that another category or group has, and are not found in another book', async () => {
      await assert.rejects(
        rename('Zoo', 'home'),
        ({ details }: { details: { errMsg: string }[] }) => {
          assert.equal(details[0]!.errMsg, "Category with name 'home' already exists");
          return true;
        },
      );
      const other = (await newBook(engine)).id;
      await assert.rejects(rename('Zoo', 'X', other), { kind: 'recordNotFound' });
      assert.deepEqual(await namesOf(), ['Home', 'Gas', 'Rent', 'Zoo']);
    });
  });
}
