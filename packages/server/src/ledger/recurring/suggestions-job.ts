import { addDays, instantOf } from '@coffer/core/dates';
import { compareCodePoints, payeeKey } from '@coffer/core/text';
import sql from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import { changing } from '../../book/change.ts';
import type { Job } from '../../book/job.ts';
import type { Steps } from '../../db/engine.ts';
import { find, rowsAs } from '../../db/rows.ts';
import { withSingleBlanks } from '../../db/single-blanks.ts';
import { integer, nullable, text } from '../../db/table.ts';
import { books, recurringItems } from '../../db/tables/tables.ts';
import { latestToBase } from '../currencies/actions.ts';
import { areNear, findPatterns, searchedDays } from './cadence.ts';
import type { Occurrence, Pattern } from './cadence.ts';
import { listRecurring } from './items.ts';
import type { RecurringRow } from './rules.ts';

/** Payees with more transactions are shops; nothing is suggested for them. */
const mostTransactions = 900;
/** Suggestions of one run. The next run continues. */
const mostSuggestions = 50;
const dayMs = 86_400_000;
/** Longer than the time between two runs, so that a run that failed leaves nothing out. */
const recentMs = 7 * dayMs;

/** What the transactions of a group have in common. */
interface Payee {
  readonly manual_account_id: number | null;
  readonly plaid_account_id: number | null;
  readonly currency: string;
  readonly payee: string;
}

interface PayeeHistory extends Payee {
  readonly occurrences: readonly Occurrence[];
}

/** A pattern that no item of the book has. */
interface Suggestion extends Pattern, Payee {}

/** Suggests recurring items, once a day, in the books that were changed in the last week. */
export const suggestionsJob: Job = {
  name: 'recurring suggestions',
  everyMs: dayMs,
  async run(engine, nowMs, signal) {
    const since = instantOf(nowMs - recentMs);
    const changed = await engine.read(() =>
      rowsAs(
        { id: integer },
        sql`SELECT id FROM books WHERE changed_at >= ${since} AND incomplete_until_ms IS NULL
        ORDER BY id`,
      ),
    );
    const today = instantOf(nowMs).slice(0, 10);
    for (const { id: bookId } of changed) {
      if (signal.aborted) return;
      // Most runs find nothing, so they do not lock the book.
      const found = await engine.read(() => suggestionsOf(bookId, today));
      if (found.length === 0) continue;
      const cause = { bookId, actor: 'job', operation: 'suggest recurring items' };
      await engine.write(() => changing(cause, findSuggestions));
    }
  },
};

/**
 * Creates an item with the status `suggested` for each pattern in the transactions of the searched days that no item
 * has. Links no transactions. Returns the number of new items, at most 50.
 */
export function* findSuggestions(change: Change): Steps<number> {
  const { bookId, at } = change;
  const suggestions = yield* suggestionsOf(bookId, at.slice(0, 10));
  if (suggestions.length === 0) return 0;
  const book = yield* find(books, { id: bookId });
  for (const { schedule, amount, tolerance, ...payee } of suggestions)
    yield* change.insert(recurringItems, {
      ...schedule,
      ...payee,
      amount,
      amount_tolerance: tolerance,
      to_base: yield* latestToBase(bookId, amount, payee.currency, at),
      status: 'suggested',
      source: 'system',
      created_by: book!.user_id,
    });
  return suggestions.length;
}

function* suggestionsOf(bookId: number, today: string): Steps<Suggestion[]> {
  const known = yield* listRecurring(bookId);
  const found: Suggestion[] = [];
  for (const { occurrences, ...payee } of yield* historiesOf(bookId, today))
    for (const pattern of findPatterns(occurrences, today)) {
      const suggestion = { ...pattern, ...payee };
      if (known.some((item) => isKnown(item, suggestion))) continue;
      if (found.some((other) => isSame(other, suggestion))) continue;
      found.push(suggestion);
      if (found.length === mostSuggestions) return found;
    }
  return found;
}

/** An item prevents suggestions with a near amount; a dismissed one, with any amount of the same sign. */
function isKnown(item: RecurringRow, suggestion: Suggestion): boolean {
  if (item.payee === null || !isSamePayee({ ...item, payee: item.payee }, suggestion)) return false;
  const isSameSign = Math.sign(item.amount) === Math.sign(suggestion.amount);
  return item.status === 'dismissed' ? isSameSign : areNear(item.amount, suggestion.amount);
}

function isSame(one: Suggestion, other: Suggestion): boolean {
  return isSamePayee(one, other) && areNear(one.amount, other.amount);
}

/** An item without an account is one of any account. */
function isSamePayee(one: Payee, other: Payee): boolean {
  const isAnyAccount = one.manual_account_id === null && one.plaid_account_id === null;
  const isSameAccount =
    one.manual_account_id === other.manual_account_id &&
    one.plaid_account_id === other.plaid_account_id;
  const isSameName = payeeKey(one.payee) === payeeKey(other.payee);
  return (isAnyAccount || isSameAccount) && one.currency === other.currency && isSameName;
}

const historyShape = {
  manual_account_id: nullable(integer),
  plaid_account_id: nullable(integer),
  currency: text,
  payee: text,
  entries: text,
};

/** Returns the transactions of the searched days without an item, by account, currency and payee, in a fixed order. */
function* historiesOf(bookId: number, today: string): Steps<PayeeHistory[]> {
  const groups = yield* rowsAs(
    historyShape,
    sql`SELECT manual_account_id, plaid_account_id, currency, min(payee) AS payee,
        string_agg(date || ' ' || amount, ',') AS entries
      FROM transactions
      WHERE book_id = ${bookId} AND date BETWEEN ${addDays(today, -searchedDays)} AND ${today}
        AND recurring_id IS NULL AND listed = 1 AND split_parent_id IS NULL AND is_group_parent = 0
        AND amount <> 0
      GROUP BY manual_account_id, plaid_account_id, currency, lower(${withSingleBlanks('payee')})
      HAVING count(*) BETWEEN 3 AND ${mostTransactions}`,
  );
  const histories = groups.map(({ entries, ...payee }) => ({
    ...payee,
    occurrences: entries.split(',').map(readEntry),
  }));
  return histories.toSorted(compareHistories);
}

function readEntry(entry: string): Occurrence {
  const [date = '', amount] = entry.split(' ');
  return { date, amount: Number(amount) };
}

function compareHistories(a: PayeeHistory, b: PayeeHistory): number {
  return (
    (a.manual_account_id ?? 0) - (b.manual_account_id ?? 0) ||
    (a.plaid_account_id ?? 0) - (b.plaid_account_id ?? 0) ||
    compareCodePoints(a.currency, b.currency) ||
    compareCodePoints(a.payee, b.payee)
  );
}
