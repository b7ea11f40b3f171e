import assert from 'node:assert/strict';
import { before, describe, it, test } from 'node:test';
import type { Engine, Steps } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import {
  categories,
  cryptoAccounts,
  cryptoBalances,
  manualAccounts,
  plaidAccounts,
  tags,
  transactions,
} from '../db/tables/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { BulkRows } from '../ledger/transactions/writes.ts';
import { splitTransaction } from '../ledger/transactions/split.ts';
import type { Change } from './change.ts';
import { addTransaction, UndoneBook } from './testing/undone-book.ts';
import type { UndoConflict } from './undo-conflicts.ts';
import { UndoConflictError } from './undo.ts';

const rowsOf = ({ bookId: book_id }: Change) => select(transactions, { book_id });

function* addBalance(change: Change, name: string) {
  const [account] = yield* select(cryptoAccounts, { book_id: change.bookId });
  return yield* change.insert(cryptoBalances, {
    account_id: account!.id,
    symbol: 'btc',
    name,
    read_at: change.at,
    quantity: '1.000000000000000000',
  });
}

function* addGroup(change: Change) {
  const { id } = yield* change.insert(categories, { name: 'Home', is_group: true });
  const between = yield* change.insert(categories, { name: 'Gone' });
  yield* change.insert(categories, { name: 'Rent', group_id: id });
  yield* change.remove(categories, between);
}

function* nothing(): Steps<void> {
  return undefined;
}

/** An external id of an account, which only one transaction may have. */
function* addFiled(change: Change) {
  const [account] = yield* select(manualAccounts, { book_id: change.bookId });
  yield* addTransaction(change, { external_id: 'E', manual_account_id: account!.id });
}

/** Changes after which an undo restores the state before, each with a change that comes first. */
const restored: Readonly<Record<string, readonly ((change: Change) => Steps<unknown>)[]>> = {
  'a record that was created and removed at once': [
    nothing,
    function* (change) {
      yield* change.remove(cryptoBalances, yield* addBalance(change, 'first'));
    },
  ],
  'a record that was removed, created again and changed at once': [
    (change) => addBalance(change, 'second'),
    function* (change) {
      const [second] = yield* select(cryptoBalances, { book_id: change.bookId });
      yield* change.remove(cryptoBalances, second!);
      yield* change.update(cryptoBalances, yield* addBalance(change, 'third'), { name: 'x' });
    },
  ],
  'a record that referred for a time to one that was created and removed': [
    (change) => addTransaction(change, {}),
    function* (change) {
      for (let at = 0; at < 2; at += 1) yield* addTransaction(change, {});
      const [old, made, fleeting] = yield* rowsOf(change);
      for (const row of [old!, made!]) {
        const group_parent_id = fleeting!.id;
        const referring = yield* change.update(transactions, row, { group_parent_id });
        yield* change.update(transactions, referring, { group_parent_id: null });
      }
      yield* change.remove(transactions, fleeting!);
    },
  ],
  'a record that was changed and then removed': [
    (change) => addTransaction(change, {}),
    function* (change) {
      yield* addTransaction(change, {});
      const [old, made] = yield* rowsOf(change);
      const group_parent_id = made!.id;
      const changed = yield* change.update(transactions, old!, { group_parent_id, payee: 'x' });
      yield* change.removeAll(transactions, [changed, made!]);
    },
  ],
  'a group and its members that were created, with other ids between them': [nothing, addGroup],
  'an external id that another record got': [
    addFiled,
    function* (change) {
      yield* change.removeAll(transactions, yield* rowsOf(change));
      yield* addFiled(change);
    },
  ],
  'records that refer to each other': [
    function* (change) {
      for (let at = 0; at < 2; at += 1) yield* addTransaction(change, {});
      const [one, other] = yield* rowsOf(change);
      yield* change.update(transactions, one!, { group_parent_id: other!.id });
      yield* change.update(transactions, other!, { group_parent_id: one!.id });
    },
    function* (change) {
      yield* change.removeAll(transactions, yield* rowsOf(change));
    },
  ],
  'the book before an import of many rows': [
    nothing,
    function* (change) {
      const bulk = new BulkRows(change);
      for (let at = 0; at < 1300; at += 1)
        bulk.add({
          id: yield* bulk.nextId(),
          date: '2024-01-01',
          amount: at,
          currency: 'usd',
          to_base: at,
          payee: 'P',
          status: 'reviewed',
          external_id: `E${at}`,
        });
      yield* bulk.flush();
    },
  ],
};

for (const { name, skip, open } of engines)
  describe(`undo on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
    });

    for (const [what, [first, work]] of Object.entries(restored))
      it(`restores ${what}, and can be undone`, async () => {
        const book = await UndoneBook.open(engine);
        await book.make(first!);
        const before = await book.state();
        const version = await book.make(work!);
        const after = await book.state();
        const undoing = await book.undo(version);
        assert.deepEqual(await book.state(), before);
        await book.undo(undoing);
        assert.deepEqual(await book.state(), after);
      });

    it('gives restored records the time of the new change, so that a client that polls finds them', async () => {
      const book = await UndoneBook.open(engine);
      const made = await book.make((change) => change.insert(tags, { name: 'a' }));
      const read = () => book.read(() => find(tags, { book_id: book.id, name: 'a' }));
      const tag = (await read())!;
      const removed = await book.make((change) => change.remove(tags, tag));
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
      const removed = await book.make((change) => change.remove(cryptoAccounts, account!));
      await book.undo(removed);
      const [back, untouched] = await read();
      assert.deepEqual(Buffer.from(back!.sealed_credentials), Buffer.of(0));
      assert.deepEqual(untouched, other);
    });

    it('reports the record and the column of each conflict', async () => {
      const book = await UndoneBook.open(engine);
      const insert = (name: string, group_id: number | null = null) =>
        book.make((change) =>
          change.insert(categories, { name, group_id, is_group: group_id === null }),
        );
      const idOf = async (name: string) =>
        (await book.read(() => find(categories, { book_id: book.id, name })))!.id;
      const rename = (id: number, name: string) =>
        book.make(function* (change) {
          yield* change.update(categories, (yield* find(categories, { id }))!, { name });
        });
      const made = await insert('Home');
      const home = await idOf('Home');
      const renamed = await rename(home, 'House');
      const changed = `categories ${home} name: changed since`;
      assert.deepEqual(await book.conflictsOf(made), [changed]);
      await insert('x', home);
      const used = `categories ${await idOf('x')} group_id: used since`;
      await rename(home, 'Place');
      assert.deepEqual(await book.conflictsOf(renamed), [changed]);
      assert.deepEqual((await book.conflictsOf(made)).at(-1), used);
      await rename(home, 'Cafe\u0301');
      const taking = await rename(home, 'y');
      await insert('CAF\u00c9');
      assert.deepEqual(await book.conflictsOf(taking), [`categories ${home} name: taken since`]);
      await book.make(function* (change) {
        yield* change.removeAll(categories, yield* select(categories, { book_id: book.id }));
      });
      assert.deepEqual(await book.conflictsOf(taking), [`categories ${home} : removed since`]);
    });

    it('does not give back what is taken, or refers to what was removed since', async () => {
      const book = await UndoneBook.open(engine);
      const [synced] = await book.read(() => select(plaidAccounts, { book_id: book.id }));
      await book.make((change) => change.insert(categories, { name: 'Food' }));
      const food = await book.read(() => find(categories, { book_id: book.id, name: 'Food' }));
      await book.make(addFiled);
      await book.make((change) => addTransaction(change, { category_id: food!.id }));
      const [row, eaten] = await book.read(() => select(transactions, { book_id: book.id }));
      const update = (from: NonNullable<typeof row>, values: object) =>
        book.make((change) => change.update(transactions, from, values));
      const left = await update(row!, { manual_account_id: null });
      await update({ ...row!, manual_account_id: null }, { plaid_account_id: synced!.id });
      const moved = `transactions ${row!.id} plaid_account_id: changed since`;
      assert.deepEqual(await book.conflictsOf(left), [moved]);
      const detached = await update(eaten!, { category_id: null });
      await book.make((change) => change.remove(categories, food!));
      const removed = `transactions ${eaten!.id} category_id: removed since`;
      assert.deepEqual(await book.conflictsOf(detached), [removed]);
    });

    it('does not restore a record that was replaced, and then removed by a later change', async () => {
      const book = await UndoneBook.open(engine);
      const balance = async () =>
        (await book.read(() => find(cryptoBalances, { book_id: book.id })))!;
      await book.make((change) => addBalance(change, 'one'));
      const first = await balance();
      const replaced = await book.make(function* (change) {
        yield* change.remove(cryptoBalances, first);
        yield* addBalance(change, 'two');
      });
      const second = await balance();
      await book.make((change) => change.remove(cryptoBalances, second));
      const removed = `crypto_synced_balances ${first.account_id} btc : removed since`;
      assert.deepEqual(await book.conflictsOf(replaced), [removed]);
    });

    it('of a version that the book does not have is refused', async () => {
      const book = await UndoneBook.open(engine);
      await assert.rejects(book.undo(99), {
        name: 'NoSuchVersionError',
        message: 'There is no change with version 99',
      });
    });

    it('lists at most 1,000 conflicts', async () => {
      const book = await UndoneBook.open(engine);
      const names = Array.from({ length: 1001 }, (_, at) => `t${at}`);
      const version = await book.make(function* (change) {
        for (const name of names) yield* change.insert(tags, { name });
      });
      await book.make(function* (change) {
        yield* change.updateAll(tags, yield* select(tags, { book_id: book.id }), {
          description: 'x',
        });
      });
      assert.equal((await book.conflictsOf(version)).length, 1000);
    });

    it('of the rest keeps what was changed since, and what that needs', async () => {
      const book = await UndoneBook.open(engine);
      const version = await book.make(function* (change) {
        const food = yield* change.insert(categories, { name: 'Food' });
        yield* change.insert(categories, { name: 'Unused' });
        for (const payee of ['Baker', 'Butcher'])
          yield* addTransaction(change, { payee, category_id: food.id });
      });
      const all = () => book.read(() => select(transactions, { book_id: book.id }));
      const [baker] = await all();
      await book.make((change) => change.update(transactions, baker!, { notes: 'mine' }));
      assert.deepEqual(await book.undoRest(version), [
        `transactions ${baker!.id} notes: changed since`,
        `transactions ${baker!.id} category_id: used since`,
      ]);
      assert.equal((await all()).map(({ payee }) => payee).join(), 'Baker');
      const names = await book.read(() => select(categories, { book_id: book.id }));
      assert.deepEqual(names.map((each) => each.name).toSorted(), ['First', 'Food']);
    });

    it('of the rest keeps a split with all its parts, and a tag that a transaction has', async () => {
      const book = await UndoneBook.open(engine);
      const one = () => book.read(() => find(transactions, { book_id: book.id }));
      await book.make((change) => addTransaction(change, { amount: 100, to_base: 100 }));
      const row = (await one())!;
      const version = await book.make(function* (change) {
        const { id } = yield* change.insert(tags, { name: 'New' });
        const amounts = [{ amount: 60, tag_ids: [id] }, { amount: 40 }];
        yield* splitTransaction(change, row, amounts);
      });
      const after = await book.state();
      const part = await book.read(() => find(transactions, { book_id: book.id, amount: 40 }));
      await book.make((change) => change.update(transactions, part!, { notes: 'mine' }));
      assert.ok((await book.undoRest(version)).length > 0);
      const now = await book.state();
      assert.equal(now.get('transactions')!.size, 3);
      assert.deepEqual(now.get('tags'), after.get('tags'));
      const rowIn = (state: typeof now) => state.get('transactions')!.get(String(row.id));
      assert.deepEqual(rowIn(now), rowIn(after));
    });

    it('moves a balance back by as much as the version moved it', async () => {
      const book = await UndoneBook.open(engine);
      const account = () => book.read(() => find(manualAccounts, { book_id: book.id }));
      const move = (balance: number) =>
        book.make(function* (change) {
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
        `manual_accounts ${id} balance: changed since`,
        `manual_accounts ${id} to_base: changed since`,
      ]);
    });
  });

test('a refused undo says how many conflicts there are', () => {
  const conflict = { record: 'tags', id: 1, column: null, reason: 'changed since', blocked: [] };
  for (const [count, words] of [
    [1, '1 conflict'],
    [2, '2 conflicts'],
  ] as const) {
    const { message } = new UndoConflictError(3, Array(count).fill(conflict) as UndoConflict[]);
    assert.equal(message, `Version 3 cannot be undone: ${words} with later changes`);
  }
});
