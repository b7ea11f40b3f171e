import sql from 'sql-template-tag';
import { maxAmount } from '@coffer/core/money';
import { recordKind } from '../../book/record.ts';
import { rowAs, select } from '../../db/rows.ts';
import { integer } from '../../db/table.ts';
import type { RowUpdate } from '../../db/table.ts';
import { budgets, budgetSettings } from '../../db/tables/tables.ts';
import { bodyProblem } from '../../operations/problem.ts';
import { primaryCurrencyOf } from '../currencies/actions.ts';
import { budgetToWire, settingsToWire } from './actions.ts';
import type { BudgetRow } from './actions.ts';

export const budgetRecord = recordKind(budgets, {
  toWire: budgetToWire,
  shows: 'category_id start_date amount currency to_base notes',
  valueDay: ({ start_date }) => start_date,
  refersTo: {
    // Those that fit no period are included.
    categories: {
      dependents: 'budget',
      *count(bookId, id) {
        const found = yield* rowAs(
          { total: integer },
          sql`SELECT count(*) AS total FROM budgets WHERE book_id = ${bookId} AND category_id = ${id}`,
        );
        return found!.total;
      },
      /**
       * If both have a budget for a period, the amounts are added: in
       * their currency, or in the primary currency of the book if they differ. Throws a Problem if a sum is too large.
       */
      *move(change, from, into) {
        const { bookId } = change;
        const moved = yield* select(budgets, { book_id: bookId, category_id: from });
        const present = yield* select(budgets, { book_id: bookId, category_id: into });
        const byStart = new Map(present.map((row) => [row.start_date, row]));
        yield* change.removeAll(budgets, moved);
        for (const row of moved) {
          const other = byStart.get(row.start_date);
          if (other === undefined) yield* change.insert(budgets, { ...row, category_id: into });
          else
            yield* change.update(
              budgets,
              other,
              sumOf(other, row, yield* primaryCurrencyOf(bookId)),
            );
        }
      },
      *detach(change, id) {
        const all = yield* select(budgets, { book_id: change.bookId, category_id: id });
        yield* change.removeAll(budgets, all);
      },
    },
  },
});

export const budgetSettingsRecord = recordKind(budgetSettings, {
  toWire: settingsToWire,
  shows: `number granularity quantity anchor_date hide_no_activity use_last_day_of_month income_option
    rollover_left_to_budget`,
});

function sumOf(one: BudgetRow, other: BudgetRow, primary: string): RowUpdate<typeof budgets> {
  const to_base = one.to_base + other.to_base;
  const isSame = one.currency === other.currency;
  const amount = isSame ? one.amount + other.amount : to_base;
  if (Math.max(Math.abs(amount), Math.abs(to_base)) > maxAmount)
    throw bodyProblem({
      errMsg: `The sum of the budgets for the period from ${one.start_date} is too large`,
      start_date: one.start_date,
    });
  const currency = isSame ? one.currency : primary;
  return { amount, currency, to_base, notes: one.notes ?? other.notes };
}
