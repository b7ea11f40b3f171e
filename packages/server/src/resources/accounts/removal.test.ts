import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { maxAmount } from '@coffer/core/money';
import type { Change } from '../../changes/change.ts';
import { select } from '../../db/rows.ts';
import { balanceHistory, deletedAccounts, manualAccounts, transactions } from '../../db/tables.ts';
import { type EngineBook, onEngines } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { moveBalances } from './actions.ts';
import { mergeAccounts } from './merge.ts';
import { removeAccount } from './removal.ts';
import type { RemovalOptions } from './removal.ts';

interface Part {
  readonly account?: 'a' | 'b';
  readonly split_parent_id?: number;
  readonly group_parent_id?: number;
  readonly is_split_parent?: boolean;
  readonly is_group_parent?: boolean;
}

/** Transactions by id: the account `a` or `b`, and the split or group that they belong to. */
const rows: Readonly<Record<number, Part>> = {
  1: { account: 'a' },
  2: { account: 'b' },
  // Split in a; one part has another account.
  10: { account: 'a', is_split_parent: true },
  11: { account: 'a', split_parent_id: 10 },
  12: { account: 'b', split_parent_id: 10 },
  // Split in b; one part has the account a.
  20: { account: 'b', is_split_parent: true },
  21: { account: 'a', split_parent_id: 20 },
  22: { account: 'b', split_parent_id: 20 },
  // Groups: of both accounts, only of a, and only of b.
  30: { is_group_parent: true },
  31: { account: 'a', group_parent_id: 30 },
  32: { account: 'b', group_parent_id: 30 },
  40: { is_group_parent: true },
  41: { account: 'a', group_parent_id: 40 },
  50: { is_group_parent: true },
  51: { account: 'b', group_parent_id: 50 },
};

onEngines('removing manual accounts', (open) => {
  let book: EngineBook;
  let offset = 0;
  const accounts = { a: 0, b: 0 };
  beforeEach(async () => {
    book = await open();
    // Ids of transactions are unique in the whole database.
    offset += 1000;
    await book.change(fill);
  });

  function* fill(to: Change) {
    const columns = { type: 'cash', currency: 'usd', balance: 5, created_by_name: 'A' };
    for (const name of ['a', 'b'] as const)
      accounts[name] = (yield* to.insert(manualAccounts, {
        ...{ name, ...columns, balance_as_of: to.at },
      })).id;
    const id = (of: number | undefined) => (of === undefined ? null : of + offset);
    const money = { date: '2026-01-01', amount: 7, to_base: 7, currency: 'usd' };
    for (const [key, { account, split_parent_id, group_parent_id, ...flags }] of Object.entries(
      rows,
    ))
      yield* to.insert(transactions, {
        ...{ id: Number(key) + offset, ...money, payee: key, status: 'reviewed', ...flags },
        manual_account_id: account === undefined ? null : accounts[account],
        ...{ split_parent_id: id(split_parent_id), group_parent_id: id(group_parent_id) },
      });
    yield* to.insert(balanceHistory, { ...entry, month: '2025-12', manual_account_id: accounts.a });
  }
  const entry = { balance: 1, currency: 'usd', to_base: 1 };
  const remove = (options?: RemovalOptions) =>
    book.change(function* (to) {
      const [account] = yield* select(manualAccounts, { book_id: book.id, id: accounts.a });
      yield* removeAccount(to, account!, options);
    });
  const everything = async () => ({
    accounts: await book.rows(manualAccounts),
    history: await book.rows(balanceHistory),
    deleted: await book.rows(deletedAccounts),
    transactions: (await book.rows(transactions)).map((row) => ({ ...row, updated_at: '' })),
  });

  it('keeps transactions with the id, and the history as that of a deleted account', async () => {
    const past = await everything();
    await remove();
    const { history, deleted, ...rest } = await everything();
    assert.deepEqual(rest.transactions, past.transactions);
    assert.deepEqual(rest.accounts, [past.accounts[1]]);
    const { id } = deleted[0]!;
    const moved = { ...past.history[0]!, manual_account_id: null, deleted_account_id: id };
    assert.deepEqual(history, [moved]);
    assert.deepEqual(deleted, [
      {
        ...{ id, book_id: book.id, name: 'a', institution_name: null, display_name: null },
        ...{ account_type: 'cash', subtype: null, mask: null, symbol: null },
      },
    ]);
  });

  it('removes items with whole splits, and dissolves groups', async () => {
    await remove({ items: true, history: true });
    const { transactions: left, accounts: others, ...history } = await everything();
    assert.deepEqual(history, { history: [], deleted: [] });
    const { b } = accounts;
    assert.deepEqual(pick(others, 'id', 'balance'), [[b, 5]]);
    const shown = left.map((row) => {
      const parent = row.split_parent_id ?? row.group_parent_id ?? offset;
      return [row.id - offset, row.manual_account_id ?? 0, parent - offset].join(' ');
    });
    const kept = [`2 ${b} 0`, `20 ${b} 0`, '21 0 20', `22 ${b} 20`];
    assert.deepEqual(shown, [...kept, `32 ${b} 0`, '50 0 0', `51 ${b} 50`]);
  });

  it('moves the history when accounts are merged, and keeps months that both have', async () => {
    const { a, b } = accounts;
    await book.change(function* (to) {
      for (const [id, month] of [
        [a, '2025-11'],
        [a, '2025-10'],
        [b, '2025-12'],
      ] as const)
        yield* to.insert(balanceHistory, { ...entry, month, manual_account_id: id });
    });
    await book.write(() => mergeAccounts(book.id, a, { into_id: b }));
    const { history, deleted } = await everything();
    const [{ id } = assert.fail()] = deleted;
    assert.deepEqual(pick(deleted, 'name'), ['a']);
    assert.deepEqual(pick(history, 'month', 'manual_account_id', 'deleted_account_id'), [
      ['2025-12', null, id],
      ['2025-11', b, null],
      ['2025-10', b, null],
      ['2025-12', b, null],
    ]);
  });

  it('refuses transactions after which a balance would be too large', async () => {
    const move = (amount: number) =>
      book.change((to) =>
        moveBalances(to, [{ accountId: accounts.a, amount, currency: 'usd', date: '2026-01-01' }]),
      );
    await assert.rejects(move(-maxAmount), { name: 'Problem' });
    await move(5 - maxAmount);
    assert.equal((await everything()).accounts[0]!.balance, maxAmount);
  });
});
