import sql, { join } from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import { padded } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { given } from '../../db/table.ts';
import { balanceHistory } from '../../db/tables/tables.ts';
import { parseAmountInput } from '../../operations/amounts.ts';
import { bodyProblem } from '../../operations/problem.ts';
import { ratesOf } from '../currencies/actions.ts';
import type { HistoryRow } from './actions.ts';
import { entryProblems, lastDayOf, quantityOf } from './rules.ts';
import type { BalanceHistoryEntryUpdate } from './schema.ts';
import type { BookOfBalances, HistoryTarget } from './sources.ts';

/**
 * Writes balances of past months, and returns their entries by month. An entry that exists keeps its `crypto_balance`
 * unless one is sent. Throws a Problem that lists all that is wrong.
 */
export function* writeEntries(
  change: Change,
  book: BookOfBalances,
  target: HistoryTarget,
  entries: readonly BalanceHistoryEntryUpdate[],
): Steps<HistoryRow[]> {
  const { wire, symbol, columns } = target;
  const rules = { type: wire.type, symbol, thisMonth: change.at.slice(0, 7) };
  const problems = entryProblems(entries, rules);
  if (problems.length > 0) throw bodyProblem(...problems);
  const months = entries.map(({ month }) => month);
  const and = sql`month IN (${join(padded(months, months[0]!))})`;
  const present = yield* select(balanceHistory, { book_id: book.id, ...columns }, { and });
  const known = new Map(present.map((row) => [row.month, row]));
  const written: HistoryRow[] = [];
  for (const entry of entries.toSorted((a, b) => (a.month < b.month ? -1 : 1))) {
    const values = yield* valuesOf(entry, entry.currency ?? target.currency, book.primaryCurrency);
    const before = known.get(entry.month);
    written.push(
      before === undefined
        ? yield* change.insert(balanceHistory, { ...columns, ...values, month: entry.month })
        : yield* change.update(balanceHistory, before, values),
    );
  }
  return written;
}

/** The columns of an entry. The rate is that of the last day of its month; without one, `to_base` is 0. */
function* valuesOf(
  { month, balance, crypto_balance: quantity }: BalanceHistoryEntryUpdate,
  currency: string,
  primaryCurrency: string,
) {
  const amount = parseAmountInput(balance)!;
  const rates = yield* ratesOf();
  const value = yield* rates.convert(amount, currency, primaryCurrency, lastDayOf(month));
  const crypto_balance = typeof quantity === 'string' ? quantityOf(quantity) : quantity;
  return { balance: amount, currency, to_base: value ?? 0, ...given({ crypto_balance }) };
}
