import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { addTransaction } from '../../changes/testing/undone-book.ts';
import { select } from '../../db/rows.ts';
import { manualAccounts, plaidAccounts, transactions } from '../../db/tables.ts';
import { type EngineBook, onEngines } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import type { Problem } from '../../wire/problem.ts';
import { createRule, listRules } from '../rules/actions.ts';
import { mergeAccounts } from './merge.ts';
import type { MergeTarget } from './merge.ts';

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
  const merge = (target: MergeTarget, from = ids.Old, bookId = book.id) =>
    book.write(() => mergeAccounts(bookId, from, target));
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
      ...{ name: 'R', conditions: { manual_account_id }, actions: { reviewed: true } },
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
          ...{ invalid_property: 'external_id', external_id },
          ...{ transaction_id: all[at], existing_transaction_id: all[at + 3] },
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
    const other = await open();
    await assert.rejects(merge({ into_id: ids.Cash }, ids.Old, other.id), {
      kind: 'recordNotFound',
    });
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

describe('POST /coffer/manual_accounts/{id}/merge', () => {
  it('returns the account that is kept, and refuses invalid bodies', async () => {
    const { ok, refused, changes, status, ben } = await openBooks();
    const create = (name: string) =>
      ok<{ id: number }>('POST', '/v2/manual_accounts', { name, type: 'cash', balance: '1.2' });
    const [{ id: from }, { id: into }] = [await create('a'), await create('b')];
    await ok('PUT', '/v2/transactions/1001', { manual_account_id: from });
    const url = `/coffer/manual_accounts/${from}/merge`;
    for (const body of [
      ...[{}, null, [], { into_id: null }, { into_id: 1e300 }, { into_id: from }],
      ...[{ into_id: '1' }, { into_id: into, add_balance: 1 }, { into_id: into, x: 1 }],
    ])
      await refused('POST', url, body);
    await changes();
    const body = await ok('POST', url, { into_id: into, add_balance: true });
    const kept = { manual_account_id: into, plaid_account_id: null, transactions: 1 };
    assert.deepEqual(body, { ...kept, balance: '1.1700', currency: 'eur' });
    assert.deepEqual(await changes(), ['mergeManualAccount']);
    assert.equal(await status('POST', url, { into_id: into }), 404);
    assert.equal(await ben.status('POST', url, {}), 404);
  });
});
