import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../../book/change.ts';
import type { Steps } from '../../../db/engine.ts';
import { transactions } from '../../../db/tables/tables.ts';
import { recordOf } from '../../../operations/records.ts';
import { toBase } from '../../currencies/actions.ts';
import { shownTexts } from '../../recurring/links.ts';
import type { OwnText, ShownText } from '../../recurring/rules.ts';
import { ProvedRows } from '../proved-rows.ts';
import { updateTransactions } from '../writes.ts';
import type { BalanceOptions, TransactionUpdate as RowsUpdate, TransactionRow } from '../writes.ts';
import { draftOf, ownTextOf, withUpdate, type Draft } from './draft.ts';
import { readReferences, recordsById } from '../references.ts';
import type { TransactionUpdate, TransactionUpdateWithId } from './bodies.ts';
import { RowProblems, checkMoved, releasedRows } from './checks.ts';
import { maxAmount } from '@coffer/core/money';
import { find, select } from '../../../db/rows.ts';
import * as groups from '../group.ts';
import * as splits from '../split.ts';

/** How transactions are changed. */
export interface UpdateOptions extends BalanceOptions {
  /** Changes split and grouped transactions, too; the rest of the split and the group follow. */
  readonly takesArranged?: boolean;
  /** Refuses to change what a proved balance depends on. */
  readonly keepsProved?: boolean;
}

/** Updates a transaction. Throws a Problem if it is missing, or with all `problems`, also those of the caller. */
export function* changeTransaction(
  change: Change,
  id: number,
  body: TransactionUpdate,
  options: UpdateOptions,
  problems = new RowProblems(),
): Steps<void> {
  const row = yield* recordOf(transactions, 'transaction', change.bookId, id);
  yield* changeAll(change, problems, [{ index: null, row, body }], options);
}

/** Updates transactions. Throws a Problem with all problems of all bodies; then nothing is changed. */
export function* changeTransactions(
  change: Change,
  bodies: readonly TransactionUpdateWithId[],
  options: UpdateOptions = {},
): Steps<void> {
  const ids = new Set(bodies.map(({ id }) => id));
  const rows = yield* recordsById(transactions, change.bookId, [...ids]);
  const problems = new RowProblems();
  const updates = bodies.flatMap((body, index): Update[] => {
    const row = rows.get(body.id);
    if (row !== undefined) return [{ index, row, body }];
    const keys = { error: 'Invalid Transaction ID', invalid_property: 'id' };
    const errMsg = `There is no transaction with the id: ${body.id}`;
    problems.addWhole(errMsg, { ...keys, transaction_id: body.id, transaction_index: index });
    return [];
  });
  yield* changeAll(change, problems, updates, options);
}

/** A body with the transaction that it changes, as it is stored. */
export interface Update {
  readonly index: number | null;
  readonly row: TransactionRow;
  readonly body: TransactionUpdate;
}

function* changeAll(
  change: Change,
  problems: RowProblems,
  updates: readonly Update[],
  { takesArranged = false, keepsProved = false, ...balances }: UpdateOptions,
): Steps<void> {
  const all = yield* draftsAfter(change.bookId, problems, updates, takesArranged);
  if (keepsProved) yield* refuseProved(change.bookId, all);
  yield* writeDrafts(change, all, balances);
}

/**
 * Returns transactions as they are after updates. `takesArranged`: split and grouped transactions, too, and those that
 * follow them. Throws a Problem with all that is wrong.
 */
export function* draftsAfter(
  bookId: number,
  problems: RowProblems,
  updates: readonly Update[],
  takesArranged: boolean,
): Steps<Draft[]> {
  const accounts = updates.map(({ row: { plaid_account_id } }) => ({ plaid_account_id }));
  const references = yield* readReferences(bookId, [
    ...updates.map(({ body }) => body),
    ...accounts,
  ]);
  const drafts = new Map<number, Draft>();
  for (const { index, row, body } of updates) {
    const draft = drafts.get(row.id) ?? draftOf(row);
    drafts.set(row.id, withUpdate({ problems, index, takesArranged }, draft, body, references));
  }
  const changed = [...drafts.values()];
  const followed = takesArranged ? yield* withFollowers(problems, changed) : changed;
  const complete = yield* completed(bookId, followed);
  const all = takesArranged ? yield* withTotals(problems, changed, complete) : complete;
  yield* checkMoved(bookId, problems, all);
  problems.throwIfAny();
  return all;
}

/** Writes transactions as they are after updates, and moves the balances of their accounts. */
export function* writeDrafts(
  change: Change,
  all: readonly Draft[],
  balances: BalanceOptions = {},
): Steps<void> {
  yield* updateTransactions(change, yield* released(change, all), balances);
}

function* refuseProved(bookId: number, all: readonly Draft[]): Steps<void> {
  const proved = new ProvedRows(bookId);
  for (const draft of all) yield* proved.add(draft);
  proved.throwIfAny();
}

/** Adds the columns that depend on others. */
function* completed(bookId: number, all: readonly Draft[]): Steps<Draft[]> {
  const texts = yield* textsAfter(bookId, all);
  const complete: Draft[] = [];
  for (const { index, before, next } of all) {
    const to_base = yield* baseAfter(before, next);
    const text = texts.get(next.id) ?? textOf(before);
    complete.push({ index, before, next: { ...next, to_base, ...text } });
  }
  return complete;
}

/** `to_base` only changes with what it is computed from: rates may have changed since. */
function* baseAfter(
  before: TransactionRow,
  { amount, currency, date }: TransactionRow,
): Steps<number> {
  if (amount === before.amount && currency === before.currency && date === before.date)
    return before.to_base;
  return yield* toBase(before.book_id, amount, currency, date);
}

/** Returns the shown and the own text, by id, of the transactions of which updates change it. */
function* textsAfter(bookId: number, all: readonly Draft[]): Steps<Map<number, ShownText>> {
  const changed = all.filter(
    ({ before, next }) =>
      !isDeepStrictEqual(ownOf(next), { ...ownOf(before), ...ownTextOf(before) }),
  );
  const owns = changed.map(({ next }) => ownOf(next));
  const texts = owns.length === 0 ? [] : yield* shownTexts(bookId, owns);
  return new Map(changed.map(({ next }, at) => [next.id, texts[at]!]));
}

/** The own text of a draft's `next`. */
function ownOf({ recurring_id, payee, notes, category_id }: TransactionRow): OwnText {
  return { recurring_id, payee, notes, category_id };
}

function textOf(row: TransactionRow): ShownText {
  const { payee, notes, category_id, own_payee, own_notes, own_category_id } = row;
  return { payee, notes, category_id, own_payee, own_notes, own_category_id };
}

/** Clears external ids that other transactions get, and returns the updates that remain. */
function* released(change: Change, all: readonly Draft[]): Steps<RowsUpdate[]> {
  const rows = releasedRows(all);
  const cleared = yield* change.updateAll(transactions, rows, { external_id: null });
  const byId = new Map(cleared.map((row) => [row.id, row]));
  return all.map(({ before, next }) => ({ before: byId.get(before.id) ?? before, columns: next }));
}

/**
 * Adds the transactions that follow changed ones.
 *
 * A split keeps its sum: a new amount of the original changes its last part, and a new amount of a part changes the
 * last other part. If all are among the drafts, it is the last one without a new amount, or else the original.
 * Currency and account are those of the whole split. The group of a changed member is added; what a group has from its
 * members cannot be set.
 */
function* withFollowers(problems: RowProblems, drafts: readonly Draft[]): Steps<Draft[]> {
  const all: Draft[] = [];
  const ofSplits = new Map<number, Draft[]>();
  for (const draft of drafts) {
    const { before } = draft;
    checkRecurring(problems, draft);
    const splitId = before.is_split_parent ? before.id : before.split_parent_id;
    if (splitId !== null) ofSplits.set(splitId, [...(ofSplits.get(splitId) ?? []), draft]);
    else if (before.is_group_parent) all.push({ ...draft, next: asGroup(draft) });
    else all.push(draft);
  }
  for (const [id, own] of ofSplits)
    all.push(...(own.some(movesSplit) ? yield* splitAfter(problems, id, own) : own));
  return all;
}

/** A transaction with a recurring item can be neither split nor grouped, so it gets none while it is. */
function checkRecurring(problems: RowProblems, { index, before, next }: Draft): void {
  const isWhole = before.is_split_parent || before.is_group_parent;
  if (!isWhole || next.recurring_id === null || before.recurring_id !== null) return;
  const keys = { error: 'Invalid Recurring ID', invalid_property: 'recurring_id' };
  problems.add(index, 'split and group transactions cannot have a recurring item', keys);
}

function asGroup({ before, next }: Draft): Draft['next'] {
  const { amount, currency, manual_account_id, plaid_account_id } = before;
  return { ...next, amount, currency, manual_account_id, plaid_account_id };
}

const ofSplit = ['currency', 'manual_account_id', 'plaid_account_id'] as const;

/** Whether other rows of the split depend on what a draft changes. */
function movesSplit(draft: Draft): boolean {
  return differs(draft, [...ofSplit, 'amount', 'date']);
}

function differs({ before, next }: Draft, names: readonly (keyof TransactionRow)[]): boolean {
  return names.some((name) => before[name] !== next[name]);
}

/** Returns the original of a split, and then its parts, after changes of some of them. */
function* splitAfter(problems: RowProblems, id: number, own: readonly Draft[]): Steps<Draft[]> {
  const { book_id } = own[0]!.before;
  const original = yield* find(transactions, { book_id, id });
  const parts = yield* splits.partsOf(book_id, id);
  const changed = new Map(own.map((draft) => [draft.before.id, draft]));
  const leading = own.findLast((draft) => differs(draft, ofSplit)) ?? own.at(-1)!;
  const { currency, manual_account_id, plaid_account_id } = leading.next;
  const shared = { currency, manual_account_id, plaid_account_id };
  const all = [original!, ...parts].map((row): Draft => {
    const draft = changed.get(row.id) ?? draftOf(row);
    return { ...draft, next: { ...draft.next, ...shared } };
  });
  const [whole, ...rest] = all;
  const absorbing =
    rest.findLast(({ before }) => !changed.has(before.id)) ??
    rest.findLast((part) => !differs(part, ['amount'])) ??
    whole!;
  const amount = restOf(all, absorbing);
  const { index } = own.findLast((draft) => differs(draft, ['amount'])) ?? leading;
  const keys = { error: 'Invalid Amount', invalid_property: 'amount' };
  if (amount > BigInt(maxAmount) || amount < -BigInt(maxAmount))
    problems.add(index, 'the rest of the split is larger than any amount can be', keys);
  const isFixed = absorbing === whole && differs(whole, ['amount']);
  if (isFixed && amount !== BigInt(whole.next.amount))
    problems.add(index, `the parts of transaction ${id} must have its amount as their sum`, keys);
  return all.map((each) =>
    each === absorbing ? { ...each, next: { ...each.next, amount: Number(amount) } } : each,
  );
}

/** Returns the amount with which the parts have the amount of the original as their sum. */
function restOf([original, ...parts]: readonly Draft[], absorbing: Draft): bigint {
  const others = parts.filter((part) => part !== absorbing);
  const sum = others.reduce((total, { next }) => total + BigInt(next.amount), 0n);
  return absorbing === original ? sum : BigInt(original!.next.amount) - sum;
}

/**
 * Sets the `to_base` of parts and the totals of groups after changes, of which the other columns are complete. Returns
 * the changed transactions, and those followers that differ.
 */
function* withTotals(
  problems: RowProblems,
  changed: readonly Draft[],
  drafts: readonly Draft[],
): Steps<Draft[]> {
  const all = new Map<number, Draft>();
  const add = (draft: Draft): Map<number, Draft> => all.set(draft.before.id, draft);
  const partsById = Map.groupBy(drafts, ({ before }) => before.split_parent_id);
  for (const draft of drafts) {
    const { before, next } = draft;
    if (before.is_group_parent) add({ ...draft, next: { ...next, to_base: before.to_base } });
    else if (!all.has(before.id)) add(draft);
    if (!before.is_split_parent) continue;
    const parts = partsById.get(before.id) ?? [];
    if ([draft, ...parts].some(movesSplit))
      for (const part of yield* withShares(problems, draft, parts)) add(part);
  }
  const moved = drafts.filter((each) => each.before.group_parent_id !== null && isMoved(each));
  for (const [id, members] of Map.groupBy(moved, ({ before }) => before.group_parent_id!))
    add(yield* groupAfter(problems, members, all.get(id)));
  const own = new Set(changed.map(({ before }) => before));
  return [...all.values()].filter(
    ({ before, next }) => own.has(before) || !isDeepStrictEqual(before, next),
  );
}

function isMoved(draft: Draft): boolean {
  return differs(draft, ['amount', 'currency', 'to_base']);
}

/** The parts share the `to_base` of the original as when it was split. Without a new amount they keep theirs. */
function* withShares(
  problems: RowProblems,
  original: Draft,
  parts: readonly Draft[],
): Steps<Draft[]> {
  const isSame = ({ before, next }: Draft): boolean => before.amount === next.amount;
  const rows = parts.map(({ next }) => next);
  const shares =
    !isMoved(original) && parts.every(isSame)
      ? parts.map(({ before }) => before.to_base)
      : yield* splits.baseShares(original.next, rows);
  if (shares.some((share) => Math.abs(share) > maxAmount))
    problems.addWhole(splits.tooLarge.errMsg, {});
  return parts.map((part, at) => ({ ...part, next: { ...part.next, to_base: shares[at]! } }));
}

/** Returns the group of changed members with its new total; `own` is the group if it is changed, too. */
function* groupAfter(
  problems: RowProblems,
  changed: readonly Draft[],
  own: Draft | undefined,
): Steps<Draft> {
  const { book_id, group_parent_id: id } = changed[0]!.before;
  const group = own ?? draftOf((yield* find(transactions, { book_id, id: id! }))!);
  const members = yield* select(transactions, { book_id, group_parent_id: id! });
  const next = new Map(changed.map((draft) => [draft.before.id, draft.next]));
  const total = yield* groups.totalOf(
    book_id,
    members.map((row) => next.get(row.id) ?? row),
  );
  if (total === null) problems.addWhole(groups.tooLarge.errMsg, {});
  return { ...group, next: { ...group.next, ...total } };
}
