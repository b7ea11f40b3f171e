import sql from 'sql-template-tag';
import type { Change } from '../../changes/change.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { budgets } from '../../db/tables.ts';
import type { Rates } from '../currencies/actions.ts';

/** New exchange rates for the budgets of a book. */
export interface BudgetRating {
  readonly rates: Rates;
  readonly primaryCurrency: string;
  /** The first date with a new rate: budgets of earlier periods keep their value. */
  readonly since: string;
}

/**
 * Sets the value of budgets in foreign currencies at the rate of their first day, or of the last date before it that
 * has one. Values without a rate stay. Returns how many budgets changed.
 */
export function* rerate(change: Change, rating: BudgetRating): Steps<number> {
  const { rates, primaryCurrency, since } = rating;
  const and = sql`start_date >= ${since} AND currency <> ${primaryCurrency}`;
  let changed = 0;
  for (const budget of yield* select(budgets, { book_id: change.bookId }, { and })) {
    const { amount, currency, start_date } = budget;
    const to_base = yield* rates.convert(amount, currency, primaryCurrency, start_date);
    if (to_base === null || to_base === budget.to_base) continue;
    yield* change.update(budgets, budget, { to_base });
    changed += 1;
  }
  return changed;
}
