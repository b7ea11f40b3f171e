import sql from 'sql-template-tag';
import { select } from '../../db/rows.ts';
import { recurringItems } from '../../db/tables/tables.ts';
import type { Rerated } from '../currencies/actions.ts';

/** The values of recurring items, at the rate of the day of their last change, which this does not count as. */
export const recurringValues: Rerated = {
  *rerate(change, { rates, primaryCurrency, since }) {
    const and = sql`updated_at >= ${since} AND currency <> ${primaryCurrency}`;
    let count = 0;
    for (const item of yield* select(recurringItems, { book_id: change.bookId }, { and })) {
      const { amount, currency, updated_at } = item;
      const date = updated_at.slice(0, 10);
      const to_base = yield* rates.convert(amount, currency, primaryCurrency, date);
      if (to_base === null || to_base === item.to_base) continue;
      yield* change.update(recurringItems, item, { to_base, updated_at });
      count += 1;
    }
    return count;
  },
};
