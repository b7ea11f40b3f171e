import { moveBalances, archiveAccount, listAccounts, renameAccount } from './actions.ts';
import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { maxAmount } from '@coffer/core/money';
import type { Change } from '../../book/change.ts';
import { addTransaction } from '../../book/testing/undone-book.ts';
import { select } from '../../db/rows.ts';
import {
  balanceHistory,
  deletedAccounts,
  manualAccounts,
  plaidAccounts,
  transactions,
} from '../../db/tables/tables.ts';
import { onEngines, onEnginesAt, type EngineBook } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import type { Problem } from '../../operations/problem.ts';
import { createRule, listRules } from '../rules/actions.ts';
import { mergeAccounts, type MergeTarget } from '../merge.ts';
import { removeAccount, type RemovalOptions } from '../remove.ts';

let nowMs = 0;

const now = () => nowMs;

onEnginesAt('manual accounts of a command', now, (open) => {
  let book: EngineBook;
  beforeEach(async () => {
    nowMs = Date.parse('2026-01-01T23:59:59.000Z');
    book = await open();
    await book.change(function* (change) {
      const columns = { type: 'cash', currency: 'usd', balance: 0, created_by_name: 'A' };
      for (const name of ['Cash', 'Checking'])
        yield* change.insert(manualAccounts, { name, ...columns, balance_as_of: change.at });
    });
  });

  const all = () => book.read(() => listAccounts(book.id));
  const first = async () => (await all())[0]!;
  const rename = async (to: string) => {
    const { id } = await first();
    await book.write(() => renameAccount(book.id, id, to));
    return first();
  };
  const archive = async (isArchived: boolean) => {
    const { id } = await first();
    await book.write(() => archiveAccount(book.id, id, isArchived));
    const { status, closed_on } = await first();
    return [status, closed_on];
  };

  it('are renamed by their display name, which the first name takes back', async () => {
    const renamed = await rename('Wallet');
    assert.deepEqual([renamed.name, renamed.display_name], ['Cash', 'Wallet']);
    assert.deepEqual(await book.operations(2), ['account rename']);
    assert.equal((await rename('cash')).display_name, 'cash');
    assert.equal((await rename('Cash')).display_name, null);
  });

  it('do not get a name that another account has, whichever of its names it is', async () => {
    const second = (await all())[1]!;
    const isRefused = (error: unknown): boolean =>
      (error as { details: { errMsg: string }[] }).details[0]!.errMsg.endsWith('already exists');
    await assert.rejects(rename('checkinG '), isRefused);
    await book.write(() => renameAccount(book.id, second.id, 'Bank'));
    await assert.rejects(rename('CHECKING'), isRefused);
    await assert.rejects(rename('bank'), isRefused);
    assert.deepEqual(await book.operations(2), ['account rename']);
  });

  it('are closed as of the day in UTC, and opened again', async () => {
    assert.deepEqual(await archive(true), ['closed', '2026-01-01']);
    nowMs += 86_400_000;
    assert.deepEqual(await archive(true), ['closed', '2026-01-01']);
    assert.deepEqual(await book.operations(2), ['account archive'], 'once');
    assert.deepEqual(await archive(false), ['active', null]);
  });
});

onEngines('merging accounts', (open) => {
  let book: EngineBook;
  let ids: Record<'Cash' | 'Old' | 'Card' | 'Far', number>;
  let plaidId: number;
  beforeEach(async () => {
    book = await open();
    await book.change(function* (change) {
      const of = { currency: 'usd', created_by_name: 'A', balance_as_of: change.at };
      for (const each of [
        { ...of, name: 'Cash', type: 'cash', balance: 123 },
        { ...of, name: 'Old', type: 'cash', balance: 50_000 },
        { ...of, name: 'Card', type: 'credit', balance: 30_000 },
        { ...of, name: 'Far', type: 'cash', balance: 5, currency: 'mga' },
      ])
        yield* change.insert(manualAccounts, each);
      const bank = { institution_name: 'B', type: 'depository', subtype: 's', mask: '1' };
      const linked = { linked_by_name: 'A', date_linked: '2020-01-01', currency: 'usd' };
      const synced = { name: 'Synced', ...bank, ...linked, balance: 0 };
      plaidId = (yield* change.insert(plaidAccounts, synced)).id;
    });
    const all = await accounts();
    ids = Object.fromEntries(all.map(({ name, id }) => [name, id])) as typeof ids;
    await book.change(function* (change) {
      const of = { manual_account_id: ids.Old };
      yield* addTransaction(change, { payee: 'a', ...of, external_id: 'x', source: 'api' });
      yield* addTransaction(change, { payee: 'b', ...of, external_id: 'y' });
      yield* addTransaction(change, { payee: 'c', manual_account_id: ids.Cash });
    });
  });
  const accounts = () => book.rows(manualAccounts);
  const balanceOf = async (id: number) =>
    (await accounts()).find((each) => each.id === id)!.balance;
  const rows = async () =>
    pick(
      await book.rows(transactions),
      ...(['manual_account_id', 'plaid_account_id', 'external_id', 'source'] as const),
    );
  const merge = (target: MergeTarget, from = ids.Old) =>
    book.write(() => mergeAccounts(book.id, from, target));
  const refused = async (target: MergeTarget, pattern: RegExp, from = ids.Old) => {
    const state = await book.state();
    await assert.rejects(merge(target, from), ({ details }: Problem) =>
      details.some(({ errMsg }) => pattern.test(errMsg)),
    );
    assert.deepEqual(await book.state(), state);
  };

  it('moves the transactions and keeps the balance', async () => {
    const balance = await balanceOf(ids.Cash);
    assert.equal((await merge({ into_id: ids.Cash })).transactions, 2);
    assert.deepEqual(await rows(), [
      [ids.Cash, null, 'x', 'merge'],
      [ids.Cash, null, 'y', 'merge'],
      [ids.Cash, null, null, null],
    ]);
    assert.equal(await balanceOf(ids.Cash), balance);
    assert.ok(!(await accounts()).some(({ id }) => id === ids.Old));
  });

  it('adds the balance on request, and subtracts it from a debt', async () => {
    const balance = await balanceOf(ids.Cash);
    await merge({ into_id: ids.Cash, add_balance: true });
    assert.equal(await balanceOf(ids.Cash), balance + 50_000);
    await merge({ into_id: ids.Card, add_balance: true }, ids.Cash);
    assert.equal(await balanceOf(ids.Card), 30_000 - balance - 50_000);
  });

  it('moves the transactions to a synced account', async () => {
    const columns = { manual_account_id: null, plaid_account_id: plaidId };
    const kept = { ...columns, transactions: 2, balance: 0, currency: 'usd' };
    assert.deepEqual(await merge({ into_plaid_id: plaidId }), kept);
    assert.deepEqual((await rows()).slice(0, 2), [
      [null, plaidId, 'x', 'merge'],
      [null, plaidId, 'y', 'merge'],
    ]);
  });

  it('moves the rules that apply to the account, to either kind of account', async () => {
    const rule = (manual_account_id: number) => ({
      name: 'R',
      conditions: { manual_account_id },
      actions: { reviewed: true },
    });
    await book.change(function* (change) {
      for (const id of [ids.Old, ids.Card]) yield* createRule(change, rule(id));
    });
    await merge({ into_id: ids.Cash });
    await merge({ into_plaid_id: plaidId }, ids.Card);
    const rules = await book.read(() => listRules(book.id));
    const moved = [{ manual_account_id: ids.Cash }, { plaid_account_id: plaidId }];
    assert.deepEqual(pick(rules, 'conditions'), moved);
  });

  it('is refused with every external id that both accounts have', async () => {
    await book.change(function* (change) {
      for (const external_id of ['x', 'y', 'z'])
        yield* addTransaction(change, { manual_account_id: ids.Card, external_id });
    });
    const state = await book.state();
    const all = [...state.get('transactions')!.values()].map((row) => Number(row['id']));
    await assert.rejects(merge({ into_id: ids.Card }), ({ details }: Problem) => {
      assert.deepEqual(
        details.map(({ errMsg: _, ...keys }) => keys),
        ['x', 'y'].map((external_id, at) => ({
          invalid_property: 'external_id',
          external_id,
          transaction_id: all[at],
          existing_transaction_id: all[at + 3],
        })),
      );
      return true;
    });
    assert.deepEqual(await book.state(), state);
  });

  it('is refused without one other account of the book, a rate, or a valid balance', async () => {
    const add_balance = true;
    await refused({}, /either into_id or into_plaid_id/);
    await refused({ into_id: ids.Cash, into_plaid_id: plaidId }, /either/);
    await refused({ into_id: ids.Old }, /must be another account/);
    await refused({ into_id: 987_654 }, /is not a manual account of this book/);
    await refused({ into_plaid_id: 987_654 }, /is not a synced account of this book/);
    await refused({ into_plaid_id: plaidId, add_balance }, /the bank sends the balance/);
    await refused({ into_id: ids.Far, add_balance }, /needs an exchange rate from usd to mga/);
    await refused({ into_id: ids.Cash }, /There is no account with the id/, 987_654);
    await book.change(function* (change) {
      const all = yield* select(manualAccounts, { book_id: book.id, id: ids.Card });
      yield* change.updateAll(manualAccounts, all, { balance: Number.MIN_SAFE_INTEGER });
      const [synced] = yield* select(plaidAccounts, { book_id: book.id });
      yield* change.update(plaidAccounts, synced!, { allow_transaction_modifications: false });
    });
    await refused({ into_id: ids.Card, add_balance }, /larger than any amount/);
    await refused({ into_plaid_id: plaidId }, /allows no changes of its transactions/);
  });
});

/** Transactions by id: the account, the parent if any, and whether it is a split or a group. */
const rows: readonly [id: number, account: 'a' | 'b' | null, of?: string, parent?: number][] = [
  [1, 'a'],
  [2, 'b'],
  // A split in a with a part in b, and a split in b with a part in a.
  [10, 'a', 'is_split_parent'],
  [11, 'a', 'split_parent_id', 10],
  [12, 'b', 'split_parent_id', 10],
  [20, 'b', 'is_split_parent'],
  [21, 'a', 'split_parent_id', 20],
  [22, 'b', 'split_parent_id', 20],
  // Groups: of both accounts, only of a, and only of b.
  [30, null, 'is_group_parent'],
  [31, 'a', 'group_parent_id', 30],
  [32, 'b', 'group_parent_id', 30],
  [40, null, 'is_group_parent'],
  [41, 'a', 'group_parent_id', 40],
  [50, null, 'is_group_parent'],
  [51, 'b', 'group_parent_id', 50],
];

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
        name,
        ...columns,
        balance_as_of: to.at,
      })).id;
    const money = {
      date: '2026-01-01',
      amount: 7,
      to_base: 7,
      currency: 'usd',
      status: 'reviewed',
    };
    for (const [id, account, of, parent] of rows)
      yield* to.insert(transactions, {
        id: id + offset,
        ...money,
        payee: String(id),
        manual_account_id: account && accounts[account],
        ...(of !== undefined && { [of]: parent === undefined ? true : parent + offset }),
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
        id,
        book_id: book.id,
        name: 'a',
        institution_name: null,
        display_name: null,
        account_type: 'cash',
        subtype: null,
        mask: null,
        symbol: null,
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
