import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Engine } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import { categories, cryptoAccounts, cryptoBalances, manualAccounts } from '../db/tables.ts';
import { plaidAccounts, tags, transactions } from '../db/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { BulkRows } from '../resources/transactions/actions.ts';
import type { Change } from './change.ts';
import { addTransaction, UndoneBook } from './testing/undone-book.ts';

for (const { name, skip, open } of engines) {
  describe(`undo on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
    });

    it('gives restored records the time of the new change, so that a client that polls finds them', async () => {
      const book = await UndoneBook.open(engine);
      const made = await book.change((change) => change.insert(tags, { name: 'a' }));
      const read = () => book.read(() => find(tags, { book_id: book.id, name: 'a' }));
      const tag = (await read())!;
      const removed = await book.change((change) => change.remove(tags, tag));
      assert.equal(await read(), undefined);
      await book.undo(removed);
      const back = (await read())!;
      assert.ok(back.updated_at > tag.updated_at);
      assert.deepEqual(back, { ...tag, updated_at: back.updated_at });
      await book.undo(made);
      assert.equal(await read(), undefined);
    });

    it('restores a record without its secrets', async () => {
      const book = await UndoneBook.open(engine);
      const read = () => book.read(() => select(cryptoAccounts, { book_id: book.id }));
      const [account, other] = await read();
      const removed = await book.change((change) => change.remove(cryptoAccounts, account!));
      await book.undo(removed);
      const [back, untouched] = await read();
      assert.deepEqual(Buffer.from(back!.sealed_credentials), Buffer.of(0));
      assert.deepEqual(untouched, other);
    });

    it('restores a group and its members that were removed at once', async () => {
      const book = await UndoneBook.open(engine);
      await book.change(function* (change) {
        const { id } = yield* change.insert(categories, { name: 'Home', is_group: true });
        yield* change.insert(categories, { name: 'Rent', group_id: id });
      });
      const before = await book.state();
      const all = await book.read(() => select(categories, { book_id: book.id }));
      await book.undo(await book.change((change) => change.removeAll(categories, all)));
      assert.deepEqual(await book.state(), before);
    });

    it('removes the members of a group first, also when other ids lie between them', async () => {
      const book = await UndoneBook.open(engine);
      const before = await book.state();
      const made = await book.change(function* (change) {
        const { id } = yield* change.insert(categories, { name: 'Home', is_group: true });
        const between = yield* change.insert(categories, { name: 'Gone' });
        yield* change.insert(categories, { name: 'Rent', group_id: id });
        yield* change.remove(categories, between);
      });
      await book.undo(made);
      assert.deepEqual(await book.state(), before);
    });

    it('restores the earlier name of a group that a new member had taken', async () => {
      const book = await UndoneBook.open(engine);
      await book.change((change) => change.insert(categories, { name: 'Home', is_group: true }));
      const before = await book.state();
      const [group] = await book.read(() => select(categories, { book_id: book.id }));
      const version = await book.change(function* (change) {
        yield* change.update(categories, group!, { name: 'House' });
        yield* change.insert(categories, { name: 'Home', group_id: group!.id });
      });
      await book.undo(version);
      assert.deepEqual(await book.state(), before);
    });

    it('reports the record and the column of each conflict', async () => {
      const book = await UndoneBook.open(engine);
      const insert = (name: string) =>
        book.change((change) => change.insert(categories, { name, is_group: true }));
      const idOf = async (name: string) =>
        (await book.read(() => find(categories, { book_id: book.id, name })))!.id;
      const rename = (id: number, name: string) =>
        book.change(function* (change) {
          const row = yield* find(categories, { id });
          yield* change.update(categories, row!, { name });
        });
      const made = await insert('Home');
      const home = await idOf('Home');
      const renamed = await rename(home, 'House');
      const conflict = { record: 'categories', id: home };
      assert.deepEqual(await book.conflictsOf(made), [
        { ...conflict, column: 'name', reason: 'changed since' },
      ]);
      await book.change((change) => change.insert(categories, { name: 'x', group_id: home }));
      const member = { record: 'categories', id: await idOf('x') };
      await rename(home, 'Place');
      assert.deepEqual(await book.conflictsOf(renamed), [
        { ...conflict, column: 'name', reason: 'changed since' },
      ]);
      assert.deepEqual((await book.conflictsOf(made)).at(-1), {
        ...{ ...member, column: 'group_id', reason: 'used since' },
      });
      const back = await rename(home, 'Cafe\u0301');
      const taking = await rename(home, 'y');
      await insert('CAF\u00c9');
      assert.deepEqual(await book.conflictsOf(taking), [
        { ...conflict, column: 'name', reason: 'taken since' },
      ]);
      assert.ok(back < taking);
      await book.change(function* (change) {
        yield* change.removeAll(categories, yield* select(categories, { book_id: book.id }));
      });
      assert.deepEqual(await book.conflictsOf(taking), [
        { ...conflict, column: null, reason: 'removed since' },
      ]);
    });

    it('restores accounts and external ids that the version gave to another record', async () => {
      const book = await UndoneBook.open(engine);
      const [account] = await book.read(() => select(manualAccounts, { book_id: book.id }));
      const [synced] = await book.read(() => select(plaidAccounts, { book_id: book.id }));
      const all = () => book.read(() => select(transactions, { book_id: book.id }));
      const values = { external_id: 'E', manual_account_id: account!.id };
      await book.change((change) => addTransaction(change, values));
      const before = await book.state();
      const version = await book.change(function* (change) {
        yield* change.removeAll(transactions, yield* select(transactions, { book_id: book.id }));
        yield* addTransaction(change, values);
      });
      await book.undo(version);
      assert.deepEqual(await book.state(), before);
      const [row] = await all();
      const left = await book.change((change) =>
        change.update(transactions, row!, { manual_account_id: null }),
      );
      const plaid_account_id = synced!.id;
      await book.change((change) =>
        change.update(transactions, { ...row!, manual_account_id: null }, { plaid_account_id }),
      );
      assert.deepEqual(
        await book.conflictsOf(left),
        [...[{ record: 'transactions', id: row!.id, column: 'plaid_account_id' }]].map((each) => ({
          ...each,
          reason: 'changed since',
        })),
      );
    });

    it('restores records that refer to each other, but not to records that were removed since', async () => {
      const book = await UndoneBook.open(engine);
      const all = () => book.read(() => select(transactions, { book_id: book.id }));
      const category = await book.change((change) => change.insert(categories, { name: 'Food' }));
      const [food] = await book.read(() => select(categories, { book_id: book.id, name: 'Food' }));
      await book.change(function* (change) {
        for (let at = 0; at < 2; at += 1) yield* addTransaction(change, { category_id: food!.id });
        const [one, other] = yield* select(transactions, { book_id: book.id });
        yield* change.update(transactions, one!, { group_parent_id: other!.id });
        yield* change.update(transactions, other!, { group_parent_id: one!.id });
      });
      const before = await book.state();
      const rows = await all();
      await book.undo(await book.change((change) => change.removeAll(transactions, rows)));
      assert.deepEqual(await book.state(), before);
      const detached = await book.change(function* (change) {
        yield* change.updateAll(transactions, yield* select(transactions, { book_id: book.id }), {
          category_id: null,
        });
      });
      await book.change((change) => change.remove(categories, food!));
      assert.ok(category < detached);
      assert.deepEqual(
        (await book.conflictsOf(detached)).toSorted((a, b) => a.id - b.id),
        rows.map(({ id }) => ({
          ...{ record: 'transactions', id, column: 'category_id', reason: 'removed since' },
        })),
      );
    });

    it('does not restore a record that was replaced, and then removed by a later change', async () => {
      const book = await UndoneBook.open(engine);
      const [account] = await book.read(() => select(cryptoAccounts, { book_id: book.id }));
      const add = (change: Change, quantity: string) =>
        change.insert(cryptoBalances, {
          ...{ account_id: account!.id, symbol: 'btc', name: 'Bitcoin' },
          ...{ quantity: `${quantity}.000000000000000000`, read_at: change.at },
        });
      const balance = async () =>
        (await book.read(() => find(cryptoBalances, { book_id: book.id })))!;
      await book.change((change) => add(change, '1'));
      const first = await balance();
      const replaced = await book.change(function* (change) {
        yield* change.remove(cryptoBalances, first);
        yield* add(change, '2');
      });
      const second = await balance();
      await book.change((change) => change.remove(cryptoBalances, second));
      assert.deepEqual(await book.conflictsOf(replaced), [
        {
          ...{ record: 'crypto_synced_balances', id: account!.id, key: { symbol: 'btc' } },
          ...{ column: null, reason: 'removed since' },
        },
      ]);
    });

    it('of a version that the book does not have is refused', async () => {
      const book = await UndoneBook.open(engine);
      await assert.rejects(book.undo(99), {
        name: 'NoSuchVersionError',
        message: 'There is no change with version 99',
      });
    });

    it('of an import of many rows undoes all of it, and can be undone', async () => {
      const book = await UndoneBook.open(engine);
      const before = await book.state();
      const version = await book.change(function* (change) {
        const bulk = new BulkRows(change);
        for (let at = 0; at < 1300; at += 1)
          bulk.add({
            ...{ id: yield* bulk.nextId(), date: '2024-01-01', amount: at, currency: 'usd' },
            ...{ to_base: at, payee: 'P', status: 'reviewed', external_id: `E${at}` },
          });
        yield* bulk.flush();
      });
      const after = await book.state();
      const undoing = await book.undo(version);
      assert.deepEqual(await book.state(), before);
      await book.undo(undoing);
      assert.deepEqual(await book.state(), after);
    });
  });
}
