import sql from 'sql-template-tag';
import { select } from '../../db/rows.ts';
import { balanceHistory } from '../../db/tables/tables.ts';
import type { Rerated } from '../currencies/actions.ts';
import { lastDayOf } from './rules.ts';

/** The values of past balances, at the rate of the last day of their month. */
export const historyValues: Rerated = {
  *rerate(change, { rates, primaryCurrency, since }) {
    const and = sql`month >= ${since.slice(0, 7)} AND currency <> ${primaryCurrency}`;
    let count = 0;
    for (const entry of yield* select(balanceHistory, { book_id: change.bookId }, { and })) {
      const { balance, currency, month } = entry;
      const to_base = yield* rates.convert(balance, currency, primaryCurrency, lastDayOf(month));
      if (to_base === null || to_base === entry.to_base) continue;
      yield* change.update(balanceHistory, entry, { to_base });
      count += 1;
    }
    return count;
  },
};
