import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { maxAmount } from '@coffer/core/money';
import { changing } from '../../changes/changing.ts';
import type { Change } from '../../changes/change.ts';
import { undo } from '../../changes/undo.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { balanceHistory, deletedAccounts, manualAccounts, transactions } from '../../db/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { hasHistory } from '../balance-history/actions.ts';
import { newBook } from '../users/testing/new-book.ts';
import { moveBalances } from './actions.ts';
import { mergeAccounts } from './merge.ts';
import { removeAccount } from './removal.ts';
import type { RemovalOptions } from './removal.ts';

/** Transactions by id: the account `a` or `b`, and the split or group that they belong to. */
const rows = {
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
} as const;

for (const { name, skip, open } of usualEngines) {
  describe(`removing manual accounts on ${name}`, { skip }, () => {
    let engine: Engine;
    let bookId: number;
    let offset = 0;
    const accounts = { a: 0, b: 0 };
    before(async () => {
      engine = await open();
    });
    beforeEach(async () => {
      bookId = (await newBook(engine)).id;
      // Ids of transactions are unique in the whole database.
      offset += 1000;
      await change(fill);
    });

    const change = <T>(work: (change: Change) => Steps<T>): Promise<T> =>
      engine.write(() => changing({ bookId, actor: 'test', operation: 'test' }, work));
    function* fill(to: Change) {
      const columns = { type: 'cash', currency: 'usd', balance: 5, created_by_name: 'A' };
      for (const each of ['a', 'b'] as const) {
        const made = { name: each, ...columns, balance_as_of: to.at };
        accounts[each] = (yield* to.insert(manualAccounts, made)).id;
      }
      const id = (of: number | undefined) => (of === undefined ? null : of + offset);
      const money = { date: '2026-01-01', amount: 7, to_base: 7, currency: 'usd' };
      for (const [key, row] of Object.entries(rows)) {
        const {
          account = null,
          split_parent_id,
          group_parent_id,
          ...flags
        } = {
          ...(row as { account?: 'a' | 'b'; split_parent_id?: number; group_parent_id?: number }),
        };
        yield* to.insert(transactions, {
          ...{ id: Number(key) + offset, ...money, payee: key, status: 'reviewed', ...flags },
          manual_account_id: account === null ? null : accounts[account],
          ...{ split_parent_id: id(split_parent_id), group_parent_id: id(group_parent_id) },
        });
      }
      const entry = { month: '2025-12', balance: 1, currency: 'usd', to_base: 1 };
      yield* to.insert(balanceHistory, { ...entry, manual_account_id: accounts.a });
    }
    const remove = (options?: RemovalOptions) =>
      change(function* (to) {
        const [account] = yield* select(manualAccounts, { book_id: bookId, id: accounts.a });
        yield* removeAccount(to, account!, options);
      });
    const everything = () =>
      engine.read(function* () {
        const where = { book_id: bookId };
        const kept = yield* select(transactions, where);
        return {
          accounts: yield* select(manualAccounts, where),
          history: yield* select(balanceHistory, where),
          deleted: yield* select(deletedAccounts, where),
          transactions: kept.map((row) => ({ ...row, updated_at: '' })),
        };
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
          ...{ id, book_id: bookId, name: 'a', institution_name: null, display_name: null },
          ...{ account_type: 'cash', subtype: null, mask: null, symbol: null },
        },
      ]);
    });

    it('removes items with whole splits, and dissolves groups', async () => {
      await remove({ items: true, history: true });
      const { transactions: left, accounts: others, ...history } = await everything();
      assert.deepEqual(history, { history: [], deleted: [] });
      assert.deepEqual(
        others.map(({ id, balance }) => [id, balance]),
        [[accounts.b, 5]],
      );
      const shown = left.map((row) => [
        ...[row.id - offset, row.manual_account_id],
        row.split_parent_id ?? row.group_parent_id,
      ]);
      const { b } = accounts;
      assert.deepEqual(shown, [
        ...[
          [2, b, null],
          [20, b, null],
          [21, null, offset + 20],
          [22, b, offset + 20],
        ],
        ...[
          [32, b, null],
          [50, null, null],
          [51, b, offset + 50],
        ],
      ]);
    });

    it('is one version that can be undone, whatever it removed', async () => {
      for (const items of [false, true])
        for (const history of [false, true]) {
          const past = await everything();
          await remove({ items, history });
          await change((to) => undo(to, to.version - 1));
          const { accounts: restored, ...rest } = await everything();
          const { accounts: known, ...others } = past;
          assert.deepEqual(rest, others);
          assert.deepEqual(
            restored.map(({ updated_at: _, ...each }) => each),
            known.map(({ updated_at: _, ...each }) => each),
          );
          const source = { kind: 'manual', id: accounts.a } as const;
          assert.ok(await engine.read(() => hasHistory(bookId, source)));
        }
    });

    it('moves the history when accounts are merged, and keeps months that both have', async () => {
      await change(function* (to) {
        const entry = { balance: 1, currency: 'usd', to_base: 1 };
        const months = { a: ['2025-11', '2025-10'], b: ['2025-12'] };
        for (const each of ['a', 'b'] as const)
          for (const month of months[each])
            yield* to.insert(balanceHistory, {
              ...entry,
              month,
              manual_account_id: accounts[each],
            });
      });
      const past = await everything();
      await engine.write(() => mergeAccounts(bookId, accounts.a, { into_id: accounts.b }));
      const { history, deleted } = await everything();
      const { b } = accounts;
      const { id, name: former } = deleted[0]!;
      assert.deepEqual([deleted.length, former], [1, 'a']);
      assert.deepEqual(
        history.map((row) => [row.month, row.manual_account_id, row.deleted_account_id]),
        [
          ...[
            ['2025-12', null, id],
            ['2025-11', b, null],
            ['2025-10', b, null],
          ],
          ['2025-12', b, null],
        ],
      );
      await change((to) => undo(to, to.version - 1));
      assert.deepEqual((await everything()).history, past.history);
    });

    it('refuses transactions after which a balance would be too large', async () => {
      const move = {
        accountId: accounts.a,
        amount: -maxAmount,
        currency: 'usd',
        date: '2026-01-01',
      };
      await assert.rejects(
        change((to) => moveBalances(to, [move])),
        { name: 'Problem' },
      );
      await change((to) => moveBalances(to, [{ ...move, amount: 5 - maxAmount }]));
      const {
        accounts: [first],
      } = await everything();
      assert.equal(first!.balance, maxAmount);
    });
  });
}
