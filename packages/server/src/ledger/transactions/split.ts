import { divideHalfToEven, maxAmount } from '@coffer/core/money';
import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { transactions } from '../../db/tables/tables.ts';
import { recordNotFound } from '../../operations/errors.ts';
import { Problem, type ErrorDetail } from '../../operations/problem.ts';
import { toBase } from '../currencies/actions.ts';
import type { RulePart } from '../rules/rules.ts';
import { BulkRows, insertTransactions, removeTransactions } from './writes.ts';
import type { NewTransaction, TransactionRow } from './writes.ts';
import { readReferences, type References, type Referring } from './references.ts';

/** A part of a request. Payee, date, category and notes are those of the original if they are absent. */
export interface SplitPart extends Omit<RulePart, 'amount'> {
  /** In ten-thousandths; null if what was sent is no amount, which is refused. */
  readonly amount: number | null;
  readonly date?: string;
  readonly tag_ids?: readonly number[];
}

/** A part with an amount. */
type Part = SplitPart & { readonly amount: number };

/** Options of {@link splitTransaction}. */
export interface SplitOptions {
  /** The `source` of the parts: a request, or a rule. */
  readonly source?: 'split' | 'rule';
  /** The smallest number of parts, by default 2. */
  readonly fewest?: number;
}

/**
 * Splits a transaction into parts and returns them by id. Their amounts must total its amount. They have its currency
 * and account; the account's balance does not move, because only the original counts.
 *
 * Throws a Problem that lists everything that is wrong.
 */
export function* splitTransaction(
  change: Change,
  parent: TransactionRow,
  parts: readonly SplitPart[],
  { source = 'split', fewest = 2 }: SplitOptions = {},
): Steps<TransactionRow[]> {
  const { bookId } = change;
  const valid = parts.filter((part): part is Part => part.amount !== null);
  const problems = [
    ...parentProblems(parent),
    ...amountProblems(parent, parts, valid, fewest),
    ...(yield* partProblems(bookId, parts)),
  ];
  const shares = valid.length < parts.length ? [] : yield* baseShares(parent, valid);
  if (shares.some((share) => Math.abs(share) > maxAmount)) problems.push(tooLarge);
  if (problems.length > 0) throw new Problem('validation', { details: problems });
  const ids = new BulkRows(change);
  const rows: NewTransaction[] = [];
  for (const [index, part] of valid.entries())
    rows.push({
      ...childOf(parent, part),
      id: yield* ids.nextId(),
      to_base: shares[index]!,
      source,
    });
  yield* change.update(transactions, parent, { is_split_parent: true });
  yield* insertTransactions(change, rows);
  return yield* partsOf(bookId, parent.id);
}

/**
 * Removes the parts of a split transaction with their files, and makes it a normal transaction. No balance moves.
 *
 * Throws a Problem with status 400 if there is no such transaction, or it is not split.
 */
export function* unsplitTransaction(
  change: Change,
  id: number,
  parent: TransactionRow | undefined,
): Steps<void> {
  if (parent?.is_split_parent !== true) {
    const errMsg =
      parent === undefined
        ? recordNotFound('transaction', id)
        : `Transaction with id ${id} is not split.`;
    throw new Problem('notSplit', { details: [{ errMsg, id }] });
  }
  yield* removeTransactions(change, yield* partsOf(parent.book_id, parent.id));
  yield* change.update(transactions, parent, { is_split_parent: false });
}

/** Returns the parts of a split transaction by id. */
export function* partsOf(book_id: number, split_parent_id: number): Steps<TransactionRow[]> {
  return yield* select(transactions, { book_id, split_parent_id });
}

/** Why a transaction cannot be split. */
function parentProblems(parent: TransactionRow): ErrorDetail[] {
  const { id, group_parent_id } = parent;
  const problems: ErrorDetail[] = [];
  if (parent.recurring_id !== null)
    problems.push({ errMsg: 'You cannot split a recurring transaction.', id });
  if (parent.is_group_parent)
    problems.push({ errMsg: 'You cannot split a group transaction. Ungroup it before splitting.' });
  if (group_parent_id !== null) {
    const errMsg = 'You cannot split a member of a transaction group. Ungroup it before splitting.';
    problems.push({ errMsg, id, group_parent_id });
  }
  if (parent.is_split_parent || parent.split_parent_id !== null) {
    const errMsg =
      'You cannot split an already split transaction. Unsplit it before splitting again.';
    problems.push({ errMsg });
  }
  return problems;
}

function amountProblems(
  parent: TransactionRow,
  parts: readonly SplitPart[],
  valid: readonly Part[],
  fewest: number,
): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  for (const [index, { amount }] of parts.entries())
    if (amount === null)
      problems.push({
        errMsg: `child_transactions[${index}] amount is out of range`,
        child_transactions_index: index,
        error: 'Invalid amount',
        invalid_property: 'amount',
      });
  if (problems.length > 0) return problems;
  const total = valid.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  if (total === BigInt(parent.amount) && parts.length >= fewest) return [];
  const errMsg = 'Sum of split transactions do not add up to the original transaction amount.';
  return [
    { errMsg: parts.length < fewest ? 'A transaction is split into two parts at least.' : errMsg },
  ];
}

/** The categories and tags of the parts that the book does not have. */
function* partProblems(bookId: number, parts: readonly SplitPart[]): Steps<ErrorDetail[]> {
  const references = yield* readReferences(bookId, parts);
  return parts.flatMap((part, index) => {
    const keys = { child_transactions_index: index };
    return assignedProblems(part, references, `child_transactions[${index}] `, keys);
  });
}

/** The problem of parts whose `to_base` is no amount. */
export const tooLarge: ErrorDetail = {
  errMsg: 'The value of a part in the primary currency is larger than any amount can be',
};

/** Returns the `to_base` of parts, in proportion to their amounts, half to even; the last one has the remainder. */
export function* baseShares(
  parent: TransactionRow,
  parts: readonly Pick<TransactionRow, 'amount'>[],
): Steps<number[]> {
  const { amount: whole, to_base } = parent;
  const amounts = parts.slice(0, -1).map(({ amount }) => amount);
  const shares =
    // Nothing is in proportion to zero.
    whole === 0
      ? yield* converted(parent, amounts)
      : amounts.map((amount) => proportion(BigInt(amount) * BigInt(to_base), BigInt(whole)));
  const rest = shares.reduce((left, share) => left - share, BigInt(to_base));
  return [...shares, rest].map(Number);
}

/** Returns amounts at the rate of the transaction's date; 0 without a rate. */
function* converted(
  { book_id, currency, date }: TransactionRow,
  amounts: readonly number[],
): Steps<bigint[]> {
  const all: bigint[] = [];
  for (const amount of amounts) all.push(BigInt(yield* toBase(book_id, amount, currency, date)));
  return all;
}

function proportion(dividend: bigint, divisor: bigint): bigint {
  return divisor < 0n ? divideHalfToEven(-dividend, -divisor) : divideHalfToEven(dividend, divisor);
}

/** The columns of a part. It has the review status and the pending state of the original, but not its tags. */
function childOf(parent: TransactionRow, part: Part) {
  const { currency, original_name, manual_account_id, plaid_account_id, status } = parent;
  const notes = part.notes === undefined ? parent.notes : part.notes;
  return {
    date: part.date ?? parent.date,
    amount: part.amount,
    payee: part.payee ?? parent.payee,
    notes: notes === '' ? null : notes,
    category_id: part.category_id === undefined ? parent.category_id : part.category_id,
    tag_ids: JSON.stringify([...new Set(part.tag_ids)]),
    currency,
    original_name,
    manual_account_id,
    plaid_account_id,
    status,
    is_pending: parent.is_pending,
    split_parent_id: parent.id,
  };
}

/** What a request assigns to a group or to a part. */
type Assigned = Pick<Referring, 'category_id' | 'tag_ids'>;

/**
 * Returns the problems of assigned categories and tags: those that the book does not have, and category groups.
 *
 * `place` names the transaction in messages and `keys` in the errors.
 */
export function assignedProblems(
  { category_id: categoryId = null, tag_ids: tagIds = [] }: Assigned,
  references: References,
  place: string,
  keys: Readonly<Record<string, unknown>>,
): ErrorDetail[] {
  const problems = categoryProblems(categoryId, references, place, keys);
  for (const [index, id] of tagIds.entries())
    if (!references.tags.has(id))
      problems.push({
        errMsg: `${place}tag ID does not exist: ${id}`,
        ...keys,
        error: 'Invalid tag ID',
        invalid_property: 'tag_ids',
        tag_ids_index: index,
        tag_id: id,
      });
  return problems;
}

function categoryProblems(
  id: number | null,
  { categories }: References,
  place: string,
  keys: Readonly<Record<string, unknown>>,
): ErrorDetail[] {
  if (id === null) return [];
  const category = categories.get(id);
  if (category?.is_group === false) return [];
  const invalid = {
    error: 'Invalid category ID',
    invalid_property: 'category_id',
    category_id: id,
  };
  const reason =
    category === undefined
      ? 'does not exist'
      : 'is a category group and cannot be assigned to a transaction';
  return [
    {
      errMsg: `${place}category ID ${reason}: ${id}`,
      ...keys,
      ...invalid,
      ...(category && { category_group_name: category.name }),
    },
  ];
}
