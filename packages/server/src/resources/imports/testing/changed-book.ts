import fc from 'fast-check';
import type { Change } from '../../../changes/change.ts';
import type { Steps } from '../../../db/engine.ts';
import { select } from '../../../db/rows.ts';
import { categories, manualAccounts, tags, transactions } from '../../../db/tables.ts';
import type { ImportEntry } from '../../../imports/entry.ts';
import { mergeAccount } from '../../accounts/merge.ts';
import { updateAccount } from '../../accounts/actions.ts';
import { removeAccount } from '../../accounts/removal.ts';
import { updateCategory } from '../../categories/actions.ts';
import { removeCategory } from '../../categories/merge.ts';
import { removeTag } from '../../tags/dependents.ts';
import { groupTransactions, ungroupTransactions } from '../../transactions/groups/group.ts';
import { deleteTransactions } from '../../transactions/requests/delete.ts';
import { createTransactions } from '../../transactions/requests/insert.ts';
import { changeTransactions } from '../../transactions/requests/update.ts';
import { splitTransaction, unsplitTransaction } from '../../transactions/splits/split.ts';
import type { TransactionRow } from '../../transactions/actions.ts';

/** Entries of a file. There are few values, so that entries of two files are equal sometimes. */
export const entriesArbitrary: fc.Arbitrary<readonly ImportEntry[]> = fc
  .array(
    fc.record({
      date: fc.constantFrom('2026-01-01', '2026-01-31', '2026-02-03'),
      amount: fc.constantFrom(-10_000, -20_000, 35_000, -1, 0),
      payee: fc.constantFrom('Shop', 'Bakery', 'Pay'),
      category: fc.constantFrom(null, 'Food', 'Rent', 'food'),
      account: fc.constantFrom('Cash', 'Card', 'Savings', null),
      tags: fc.subarray(['trip', 'work']),
      isPending: fc.boolean(),
      isSplit: fc.nat(4).map((n) => n === 0),
      hasId: fc.nat(3).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((entries) =>
    entries.map(({ isSplit, hasId, ...entry }, at) => {
      const half = Math.trunc(entry.amount / 2);
      const parts = [half, entry.amount - half].map((amount) => ({
        ...{ amount, payee: null, notes: null, category: isSplit ? 'Parts' : null },
      }));
      return {
        ...entry,
        line: at + 1,
        currency: null,
        notes: null,
        externalId: hasId ? `id-${at}` : null,
        ...(isSplit && { parts }),
      };
    }),
  );

const kinds = [
  ...(['create', 'update', 'update', 'split', 'unsplit', 'group', 'ungroup', 'delete'] as const),
  ...(['rename account', 'remove account', 'merge account'] as const),
  ...(['change category', 'remove category', 'remove tag'] as const),
] as const;

const writeArbitrary = fc.record({
  kind: fc.constantFrom(...kinds),
  picks: fc.array(fc.nat(40), { minLength: 5, maxLength: 5 }),
});
/** One write of a user. Numbers choose among the records that exist, and among values. */
export type UserWrite = typeof writeArbitrary extends fc.Arbitrary<infer W> ? W : never;

export const writesArbitrary = fc.array(writeArbitrary, { maxLength: 8 });

/** Performs a write by the functions of the API. Throws a Problem if the API would refuse it. */
export function* performWrite(change: Change, { kind, picks }: UserWrite): Steps<void> {
  const book = { book_id: change.bookId };
  const all = {
    rows: yield* select(transactions, book),
    accounts: yield* select(manualAccounts, book),
    categories: yield* select(categories, book),
    tags: yield* select(tags, book),
  };
  const [a = 0, b = 0, c = 0, d = 0] = picks;
  const at = <T>(list: readonly T[], pick: number): T | undefined => list[pick % list.length];
  const values = {
    amount: `${(a % 5) - 2}.5`,
    category_id: at([null, ...all.categories.map(({ id }) => id)], b),
    manual_account_id: at([null, ...all.accounts.map(({ id }) => id)], c),
    tag_ids: all.tags.slice(d % 3).map(({ id }) => id),
  };
  const row = at(all.rows, a);
  const account = at(all.accounts, a);
  const category = at(all.categories, a);
  const tag = at(all.tags, a);
  if (kind === 'create')
    yield* createTransactions(change, {
      transactions: [{ date: '2026-02-02', payee: 'Mine', ...values }],
    } as never);
  else if (kind.endsWith('account')) {
    if (account === undefined) return;
    const other = at(all.accounts, b)!;
    if (kind === 'rename account') yield* updateAccount(change, account, { name: `A ${b}` });
    else if (kind === 'remove account')
      yield* removeAccount(change, account, { items: b % 2 === 0, history: c % 2 === 0 });
    else if (other !== account)
      yield* mergeAccount(change, account, { into_id: other.id, add_balance: true });
  } else if (kind === 'change category') {
    if (category !== undefined)
      yield* updateCategory(change, category, { name: `C ${b}`, description: 'd' });
  } else if (kind === 'remove category') {
    if (category !== undefined) yield* removeCategory(change, category);
  } else if (kind === 'remove tag') {
    if (tag !== undefined) yield* removeTag(change, tag);
  } else if (row !== undefined) yield* changeRow(change, kind, row, all.rows, values, picks);
}

function* changeRow(
  change: Change,
  kind: UserWrite['kind'],
  row: TransactionRow,
  rows: readonly TransactionRow[],
  values: object,
  [a = 0, b = 0]: readonly number[],
): Steps<void> {
  if (kind === 'update') {
    const [name, value] = Object.entries({ ...values, notes: `N ${a}` })[b % 5]!;
    yield* changeTransactions(change, [{ id: row.id, [name]: value }] as never);
  } else if (kind === 'split')
    yield* splitTransaction(change, row, [{ amount: 1 }, { amount: row.amount - 1 }]);
  else if (kind === 'unsplit') {
    const split = rows.find((each) => each.is_split_parent);
    if (split !== undefined) yield* unsplitTransaction(change, split.id, split);
  } else if (kind === 'group') {
    const other = rows[b % rows.length]!;
    const ids = [row.id, other.id];
    if (row !== other)
      yield* groupTransactions(change, { ids, date: '2026-01-15', payee: 'Group' });
  } else if (kind === 'ungroup') {
    const group = rows.find((each) => each.is_group_parent);
    if (group !== undefined) yield* ungroupTransactions(change, group);
  } else if (kind === 'delete') yield* deleteTransactions(change, [row.id]);
}
