import sql, { join } from 'sql-template-tag';
import { maxAmount } from '@coffer/core/money';
import type { Change } from '../../book/change.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { transactions } from '../../db/tables/tables.ts';
import { primaryCurrencyOf } from '../currencies/actions.ts';
import { recordNotFound } from '../../operations/errors.ts';
import { Problem, type ErrorDetail } from '../../operations/problem.ts';
import { BulkRows, insertTransactions, removeTransactions, type TransactionRow } from './writes.ts';
import { assignedProblems } from './split.ts';
import { readReferences } from './references.ts';

/** A group to create. `ids` are its members. */
export interface NewGroup {
  readonly ids: readonly number[];
  readonly date: string;
  readonly payee: string;
  /** Null: no category. Absent: the category that all members share. */
  readonly category_id?: number | null;
  readonly notes?: string | null;
  /** Absent: `reviewed` if all members are. */
  readonly status?: 'reviewed' | 'unreviewed';
  readonly tag_ids?: readonly number[];
}

/**
 * Creates a group of transactions and returns its id. Its amount is the sum of its members: in their currency, or in
 * the primary currency of the book if they have several.
 *
 * The members keep their accounts and the group has none, so no balance moves. Throws a Problem that lists everything
 * that is wrong.
 */
export function* groupTransactions(change: Change, group: NewGroup): Steps<number> {
  const { bookId } = change;
  const found = yield* transactionsWith(bookId, group.ids);
  const problems = [
    ...group.ids.flatMap((id, index) => memberProblems(group.ids, index, found.get(id))),
    ...assignedProblems(group, yield* readReferences(bookId, [group]), 'Transaction group ', {}),
  ];
  const members = [...found.values()];
  const total = yield* totalOf(bookId, members);
  if (total === null) problems.push(tooLarge);
  if (total === null || problems.length > 0) throw new Problem('validation', { details: problems });
  const id = yield* new BulkRows(change).nextId();
  const { date, payee, notes = null } = group;
  const shared = sharedColumns(group, members);
  const own = { payee, original_name: payee, notes: notes === '' ? null : notes };
  yield* insertTransactions(change, [
    { id, date, ...total, ...own, ...shared, is_group_parent: true, source: 'api' },
  ]);
  yield* change.updateAll(transactions, members, { group_parent_id: id });
  return id;
}

/** Makes the members of a group normal transactions, and removes the group with its files. No balance moves. */
export function* ungroupTransactions(change: Change, group: TransactionRow): Steps<void> {
  const { book_id, id } = group;
  if (!group.is_group_parent) {
    const errMsg = `Transaction with id ${id} is not a transaction group.`;
    throw new Problem('validation', { details: [{ errMsg, id }] });
  }
  const members = yield* select(transactions, { book_id, group_parent_id: id });
  yield* change.updateAll(transactions, members, { group_parent_id: null });
  yield* removeTransactions(change, [group]);
}

/** Returns the transactions of a book with these ids, by id. */
function* transactionsWith(
  bookId: number,
  ids: readonly number[],
): Steps<Map<number, TransactionRow>> {
  const rows: TransactionRow[] = [];
  for (const block of blocksOf([...new Set(ids)])) {
    const and = sql`id IN (${join(block)})`;
    rows.push(...(yield* select(transactions, { book_id: bookId }, { and })));
  }
  return new Map(rows.map((row) => [row.id, row]));
}

/** Why a transaction cannot be a member. A repeated id is a problem from its second place on. */
function memberProblems(
  ids: readonly number[],
  index: number,
  row: TransactionRow | undefined,
): ErrorDetail[] {
  const id = ids[index]!;
  const place = { ids_index: index, id };
  if (ids.indexOf(id) < index) {
    const errMsg = `Duplicate transaction ID found: ${id}`;
    return [{ errMsg, ids_index: index, transaction_id: id, invalid_property: 'ids' }];
  }
  if (row === undefined) return [{ errMsg: recordNotFound('transaction', id), ...place }];
  const problems: ErrorDetail[] = [];
  const refuse = (reason: string, keys = {}) =>
    problems.push({ errMsg: `Transaction with id ${id} ${reason}.`, ...place, ...keys });
  const { group_parent_id } = row;
  if (row.is_split_parent || row.split_parent_id !== null)
    refuse('is a split transaction and cannot be added to a transaction group');
  if (row.is_group_parent)
    refuse('is a transaction group and cannot be added to another transaction group');
  if (group_parent_id !== null) refuse('is in a transaction group already', { group_parent_id });
  if (row.recurring_id !== null)
    refuse('is a recurring transaction and cannot be added to a transaction group');
  return problems;
}

/** The problem of members whose sum is no amount. */
export const tooLarge: ErrorDetail = {
  errMsg: 'The sum of the transactions is larger than any amount can be',
  invalid_property: 'ids',
};

interface Total {
  readonly amount: number;
  readonly currency: string;
  readonly to_base: number;
}

/** Returns the sum of the members of a group; null if it is no amount. */
export function* totalOf(bookId: number, rows: readonly TransactionRow[]): Steps<Total | null> {
  const [currency = '', ...others] = new Set(rows.map((row) => row.currency));
  const base = sumOf(rows.map(({ to_base }) => to_base));
  const amount = others.length > 0 ? base : sumOf(rows.map((row) => row.amount));
  if (amount === null || base === null) return null;
  if (others.length === 0) return { amount, currency, to_base: base };
  return { amount, currency: yield* primaryCurrencyOf(bookId), to_base: base };
}

function sumOf(amounts: readonly number[]): number | null {
  const sum = amounts.reduce((total, each) => total + BigInt(each), 0n);
  return sum > BigInt(maxAmount) || sum < -BigInt(maxAmount) ? null : Number(sum);
}

function sharedColumns(
  { category_id, status, tag_ids = [] }: NewGroup,
  members: readonly TransactionRow[],
) {
  const [first, ...others] = new Set(members.map((row) => row.category_id));
  const shared = others.length === 0 ? (first ?? null) : null;
  const isReviewed = members.every((row) => row.status === 'reviewed');
  return {
    category_id: category_id === undefined ? shared : category_id,
    status: status ?? (isReviewed ? 'reviewed' : 'unreviewed'),
    tag_ids: JSON.stringify([...new Set(tag_ids)]),
  };
}
