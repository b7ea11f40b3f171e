import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Engine } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import { cryptoAccounts, cryptoBalances, transactions } from '../db/tables.ts';
import { engines } from '../db/testing/engines.ts';
import type { Change } from './change.ts';
import { addTransaction, UndoneBook } from './testing/undone-book.ts';

for (const { name, skip, open } of engines) {
  describe(`undo on ${name} of a version that wrote a record several times`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open();
    });

    it('restores the right record, whether it was created and removed or removed and created again', async () => {
      const book = await UndoneBook.open(engine);
      const [account] = await book.read(() => select(cryptoAccounts, { book_id: book.id }));
      function* addBalance(change: Change, balance: string) {
        return yield* change.insert(cryptoBalances, {
          ...{ account_id: account!.id, symbol: 'btc', name: balance, read_at: change.at },
          quantity: '1.000000000000000000',
        });
      }
      const fleeting = await book.change(function* (change) {
        yield* change.remove(cryptoBalances, yield* addBalance(change, 'first'));
      });
      await book.change((change) => addBalance(change, 'second'));
      const before = await book.state();
      await book.undo(fleeting);
      assert.deepEqual(await book.state(), before);
      const again = await book.change(function* (change) {
        const [second] = yield* select(cryptoBalances, { book_id: book.id });
        yield* change.remove(cryptoBalances, second!);
        yield* change.update(cryptoBalances, yield* addBalance(change, 'third'), { name: 'x' });
      });
      await book.undo(again);
      assert.deepEqual(await book.state(), before);
    });

    it('works if the record referred for a time to one that was created and removed', async () => {
      const book = await UndoneBook.open(engine);
      const own = () => select(transactions, { book_id: book.id });
      await book.change((change) => addTransaction(change, {}));
      const before = await book.state();
      const version = await book.change(function* (change) {
        for (let at = 0; at < 2; at += 1) yield* addTransaction(change, {});
        const [old, made, fleeting] = yield* own();
        for (const row of [old!, made!]) {
          const group_parent_id = fleeting!.id;
          const referring = yield* change.update(transactions, row, { group_parent_id });
          yield* change.update(transactions, referring, { group_parent_id: null });
        }
        yield* change.remove(transactions, fleeting!);
      });
      await book.undo(version);
      assert.deepEqual(await book.state(), before);
    });

    it('restores the record as it was before it was changed and then removed', async () => {
      const book = await UndoneBook.open(engine);
      const own = () => select(transactions, { book_id: book.id });
      await book.change((change) => addTransaction(change, {}));
      const before = await book.state();
      const version = await book.change(function* (change) {
        yield* addTransaction(change, {});
        const [old, made] = yield* own();
        const group_parent_id = made!.id;
        const changed = yield* change.update(transactions, old!, { group_parent_id, payee: 'x' });
        yield* change.removeAll(transactions, [changed, made!]);
      });
      await book.undo(version);
      assert.deepEqual(await book.state(), before);
    });
  });
}
