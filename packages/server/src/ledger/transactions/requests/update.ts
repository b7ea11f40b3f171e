import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../../book/change.ts';
import type { Steps } from '../../../db/engine.ts';
import { transactions } from '../../../db/tables/tables.ts';
import { recordOf } from '../../../operations/records.ts';
import { toBase } from '../../currencies/actions.ts';
import { shownTexts } from '../../recurring/links.ts';
import type { OwnText, ShownText } from '../../recurring/rules.ts';
import { updateTransactions } from '../writes.ts';
import type { BalanceOptions, TransactionUpdate as RowsUpdate, TransactionRow } from '../writes.ts';
import { draftOf, ownTextOf, withUpdate } from './draft.ts';
import type { Draft } from './draft.ts';
import { withFollowers, withTotals } from './followers.ts';
import { readReferences, recordsById } from '../references.ts';
import type { TransactionUpdate, TransactionUpdateWithId } from './bodies.ts';
import { RowProblems, checkMoved, releasedRows } from './checks.ts';

/** How transactions are changed. */
export interface UpdateOptions extends BalanceOptions {
  /** Changes split and grouped transactions, too; the rest of the split and the group follow. */
  readonly takesArranged?: boolean;
}

/**
 * Updates one transaction. Throws a Problem if it does not exist, or with all problems of the body. `problems` has
 * those that the caller found.
 */
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
  yield* changeAll(change, problems, updates, {});
}

/** A body with the transaction that it changes, as it is stored. */
interface Update {
  readonly index: number | null;
  readonly row: TransactionRow;
  readonly body: TransactionUpdate;
}

function* changeAll(
  change: Change,
  problems: RowProblems,
  updates: readonly Update[],
  { takesArranged = false, ...balances }: UpdateOptions,
): Steps<void> {
  const { bookId } = change;
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
  yield* updateTransactions(change, yield* released(change, all), balances);
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
