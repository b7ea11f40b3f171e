import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Engine } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import { categories, manualAccounts, tags, transactions } from '../db/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { splitTransaction } from '../resources/transactions/splits/split.ts';
import { addTransaction, UndoneBook } from './testing/undone-book.ts';

for (const { name, skip, open } of engines) {
  describe(`undo of the rest on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
    });

    it('keeps what was changed since, and what that needs', async () => {
      const book = await UndoneBook.open(engine);
      const version = await book.change(function* (change) {
        const food = yield* change.insert(categories, { name: 'Food' });
        yield* change.insert(categories, { name: 'Unused' });
        for (const payee of ['Baker', 'Butcher'])
          yield* addTransaction(change, { payee, category_id: food.id });
      });
      const all = () => book.read(() => select(transactions, { book_id: book.id }));
      const [baker] = await all();
      await book.change((change) => change.update(transactions, baker!, { notes: 'mine' }));
      const conflicts = await book.undoRest(version);
      assert.deepEqual(
        conflicts.map(({ record, id, column, reason }) => [record, id, column, reason]),
        [
          ['transactions', baker!.id, 'notes', 'changed since'],
          ['transactions', baker!.id, 'category_id', 'used since'],
        ],
      );
      assert.deepEqual(
        (await all()).map(({ payee }) => payee),
        ['Baker'],
      );
      const names = await book.read(() => select(categories, { book_id: book.id }));
      assert.deepEqual(names.map((each) => each.name).toSorted(), ['First', 'Food']);
    });

    it('keeps a split with all its parts, and a tag that a transaction has', async () => {
      const book = await UndoneBook.open(engine);
      const one = () => book.read(() => find(transactions, { book_id: book.id }));
      await book.change((change) => addTransaction(change, { amount: 100, to_base: 100 }));
      const row = (await one())!;
      const version = await book.change(function* (change) {
        const { id } = yield* change.insert(tags, { name: 'New' });
        const amounts = [{ amount: 60, tag_ids: [id] }, { amount: 40 }];
        yield* splitTransaction(change, row, amounts);
      });
      const after = await book.state();
      const part = await book.read(() => find(transactions, { book_id: book.id, amount: 40 }));
      await book.change((change) => change.update(transactions, part!, { notes: 'mine' }));
      assert.ok((await book.undoRest(version)).length > 0);
      const now = await book.state();
      assert.equal(now.get('transactions')!.size, 3);
      assert.deepEqual(now.get('tags'), after.get('tags'));
      const unchanged = String(row.id);
      assert.deepEqual(
        now.get('transactions')!.get(unchanged),
        after.get('transactions')!.get(unchanged),
      );
    });

    it('moves a balance back by as much as the version moved it', async () => {
      const book = await UndoneBook.open(engine);
      const account = () => book.read(() => find(manualAccounts, { book_id: book.id }));
      const move = (balance: number) =>
        book.change(function* (change) {
          const before = (yield* find(manualAccounts, { book_id: book.id }))!;
          yield* change.update(manualAccounts, before, { balance, to_base: balance });
        });
      const version = await move(100);
      await move(150);
      assert.deepEqual(await book.conflictsOf(version), []);
      const { balance, to_base } = (await account())!;
      assert.deepEqual([balance, to_base], [50, 50]);
      const largest = await move(Number.MAX_SAFE_INTEGER);
      await move(-Number.MAX_SAFE_INTEGER);
      const { id } = (await account())!;
      assert.deepEqual(await book.conflictsOf(largest), [
        { record: 'manual_accounts', id, column: 'balance', reason: 'changed since' },
        { record: 'manual_accounts', id, column: 'to_base', reason: 'changed since' },
      ]);
    });
  });
}
