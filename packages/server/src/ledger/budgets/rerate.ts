import sql from 'sql-template-tag';
import { select } from '../../db/rows.ts';
import { budgets } from '../../db/tables/tables.ts';
import type { Rerated } from '../currencies/actions.ts';

/** The values of budgets in foreign currencies, at the rate of the first day of their period. */
export const budgetValues: Rerated = {
  *rerate(change, { rates, primaryCurrency, since }) {
    const and = sql`start_date >= ${since} AND currency <> ${primaryCurrency}`;
    let count = 0;
    for (const budget of yield* select(budgets, { book_id: change.bookId }, { and })) {
      const { amount, currency, start_date } = budget;
      const to_base = yield* rates.convert(amount, currency, primaryCurrency, start_date);
      if (to_base === null || to_base === budget.to_base) continue;
      yield* change.update(budgets, budget, { to_base });
      count += 1;
    }
    return count;
  },
};
