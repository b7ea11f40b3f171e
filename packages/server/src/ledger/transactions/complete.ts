import { matchRecurring, reviewedItems, shownTexts } from '../recurring/links.ts';
import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { transactions } from '../../db/tables/tables.ts';
import type { RecurringRow } from '../recurring/rules.ts';
import type { RuledTransaction } from '../rules/rules.ts';
import { applyRules, rulesOf, type BookRules } from '../rules/actions.ts';
import { recordsById } from './references.ts';
import { splitTransaction } from './split.ts';
import { insertTransactions, type BalanceOptions, type NewTransaction } from './writes.ts';

/** What new transactions of a book are completed with. */
export interface Completion {
  readonly rules: BookRules;
  readonly items: readonly RecurringRow[];
}

/** How new transactions are completed. */
export interface CompleteOptions extends BalanceOptions {
  /** Applies the rules of the book. */
  readonly hasRules: boolean;
  /** For a change that inserts several times. Default: it is read, each time. */
  readonly completion?: Completion;
}

/** Reads what new transactions are completed with, for a change that changes neither rules nor recurring items. */
export function* completionOf(bookId: number): Steps<Completion> {
  return { rules: yield* rulesOf(bookId), items: yield* reviewedItems(bookId) };
}

/**
 * Inserts new transactions, after the rules of the book if `hasRules`, and linked to the recurring items that they fit.
 * A transaction that a rule splits gets its parts. All rows must have their ids and the same columns.
 */
export function* insertCompleted(
  change: Change,
  rows: readonly NewTransaction[],
  { hasRules, completion, ...balances }: CompleteOptions,
): Steps<void> {
  const ruled = hasRules
    ? applyRules(completion?.rules ?? (yield* rulesOf(change.bookId)), rows)
    : rows.map(unruled);
  yield* insertRuled(change, ruled, balances, completion?.items);
}

/** Inserts transactions after the rules of the book, with the parts of those that rules split. */
function* insertRuled(
  change: Change,
  ruled: readonly RuledTransaction[],
  balances: BalanceOptions = {},
  items?: readonly RecurringRow[],
): Steps<void> {
  const rows = ruled.map(({ row }) => row);
  const shown = yield* withShownTexts(change.bookId, rows);
  const linked = yield* matchRecurring(change, shown, items);
  yield* insertTransactions(change, linked, balances);
  const written = ruled.map(({ parts }, at) => ({ row: linked[at]!, parts }));
  yield* splitRuled(change, written);
}

function unruled(row: NewTransaction): RuledTransaction {
  return { row, parts: null };
}

/** Rules act on the own text of a transaction; its recurring item is shown instead of it afterwards. */
function* withShownTexts(
  bookId: number,
  rows: readonly NewTransaction[],
): Steps<readonly NewTransaction[]> {
  if (!rows.some(({ recurring_id = null }) => recurring_id !== null)) return rows;
  const own = rows.map(({ recurring_id = null, payee, notes = null, category_id = null }) => {
    return { recurring_id, payee, notes, category_id };
  });
  const texts = yield* shownTexts(bookId, own);
  return rows.map((row, at) => ({ ...row, ...texts[at] }));
}

/** Writes the parts of transactions that rules split. One with a recurring item cannot be split, and stays whole. */
function* splitRuled(change: Change, ruled: readonly RuledTransaction[]): Steps<void> {
  const split = ruled.filter(({ row }) => (row.recurring_id ?? null) === null);
  const partsOf = new Map(split.map(({ row, parts }) => [row.id, parts ?? []]));
  const ids = [...partsOf].filter(([, parts]) => parts.length > 0).map(([id]) => id);
  if (ids.length === 0) return;
  const rows = yield* recordsById(transactions, change.bookId, ids);
  for (const id of ids)
    yield* splitTransaction(change, rows.get(id)!, partsOf.get(id)!, { source: 'rule' });
}
