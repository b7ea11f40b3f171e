import sql from 'sql-template-tag';
import { clockSkewMs, dayOf } from '@coffer/core/dates';
import { changing, NoSuchBookError, type Change } from '../../book/change.ts';
import { insertUnlessTaken, updateUnlogged } from '../../book/unlogged.ts';
import { blockSize } from '../../db/blocks.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { find, rowsAs, select } from '../../db/rows.ts';
import { integer } from '../../db/table.ts';
import { balanceHistory, books, recordedMonths } from '../../db/tables/tables.ts';
import { bookJob } from '../../jobs/scheduler.ts';
import { ratesOf } from '../currencies/actions.ts';
import { accountColumns, accountKey, accountOf } from './actions.ts';
import { isOpenIn, lastDayOf, monthBefore } from './rules.ts';
import { balanceSources } from './sources.ts';

const hourMs = 3_600_000;

/**
 * Records the balances of all accounts of all books at the end of the last month in UTC, once for each book and month.
 *
 * Only the month that ended last is recorded: the balances of earlier ones are no longer known. The balance of a manual
 * account is the present one without the transactions after the month; of the others, it is the last known one. Entries
 * that exist stay. Accounts without a known balance, created later, or closed in an earlier month get no entry.
 */
export const monthEndsJob = bookJob(
  { name: 'month ends', everyMs: hourMs },
  booksWithout,
  recordBook,
);

/** The last month that has ended, and the latest that can have been recorded: a clock may have gone back. */
function monthsAt(nowMs: number): { readonly month: string; readonly latest: string } {
  const month = monthBefore(dayOf(nowMs).slice(0, 7));
  return { month, latest: monthBefore(dayOf(nowMs + clockSkewMs).slice(0, 7)) };
}

/** The next books after an id whose month was not recorded yet. A month after the latest does not count. */
function* booksWithout(nowMs: number, afterId: number): Steps<number[]> {
  const { month, latest } = monthsAt(nowMs);
  const found = yield* rowsAs(
    { id: integer },
    sql`SELECT b.id FROM books b LEFT JOIN recorded_months r ON r.book_id = b.id
      WHERE b.id > ${afterId} AND b.incomplete_until_ms IS NULL 
        AND (r.month IS NULL OR r.month < ${month} OR r.month > ${latest})
      ORDER BY b.id LIMIT ${blockSize}`,
  );
  return found.map(({ id }) => id);
}

async function recordBook(engine: Engine, bookId: number, nowMs: number): Promise<void> {
  const { month, latest } = monthsAt(nowMs);
  const cause = { bookId, actor: 'job', operation: 'balance history' };
  try {
    await engine.write(() => changing(cause, (change) => recordOnce(change, month, latest)));
  } catch (error) {
    // The book was deleted meanwhile.
    if (!(error instanceof NoSuchBookError)) throw error;
  }
}

function* recordOnce(change: Change, month: string, latest: string): Steps<void> {
  const { bookId: book_id } = change;
  const recorded = yield* find(recordedMonths, { book_id });
  // Another node was faster.
  if (recorded !== undefined && recorded.month >= month && recorded.month <= latest) return;
  if (recorded === undefined) yield* insertUnlessTaken(recordedMonths, { book_id, month });
  else yield* updateUnlogged(recordedMonths, { book_id }, { month });
  yield* recordMonth(change, month);
}

function* recordMonth(change: Change, month: string): Steps<void> {
  const book = yield* find(books, { id: change.bookId });
  const { id, primary_currency: primaryCurrency } = book!;
  const lastDay = lastDayOf(month);
  const rates = yield* ratesOf();
  const entries = yield* select(balanceHistory, { book_id: id, month });
  const known = new Set(entries.map((entry) => accountKey(accountOf(entry))));
  for (const account of yield* balanceSources({ id, primaryCurrency }, lastDay)) {
    const { balance, currency, quantity } = account;
    if (balance === null || !isOpenIn(month, account) || known.has(accountKey(account))) continue;
    const value = yield* rates.convert(balance, currency, primaryCurrency, lastDay);
    yield* change.insert(balanceHistory, {
      ...accountColumns(account.kind, account.id, account.symbol),
      month,
      balance,
      currency,
      to_base: value ?? 0,
      crypto_balance: quantity,
    });
  }
}
