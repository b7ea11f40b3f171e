import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { given } from '../../db/table.ts';
import type { Row } from '../../db/table.ts';
import { budgetSettings } from '../../db/tables/tables.ts';
import type { BudgetSettings, BudgetSettingsUpdate } from './schema.ts';

/** The settings of a book, without its id. */
export type SettingsOfBook = Omit<Row<typeof budgetSettings>, 'book_id'>;

/** The settings of a book without a record: months of the calendar. */
export const defaultSettings: SettingsOfBook = {
  number: 1,
  granularity: 'month',
  quantity: 1,
  anchor_date: '2024-01-01',
  hide_no_activity: false,
  use_last_day_of_month: false,
  income_option: 'max',
  rollover_left_to_budget: false,
};

/** Returns the settings of a book's budgets. */
export function* settingsOf(bookId: number): Steps<SettingsOfBook> {
  return (yield* find(budgetSettings, { book_id: bookId })) ?? defaultSettings;
}

/**
 * Changes settings of a book's budgets. Budgets are kept when the periods change. Those that no longer start a period
 * have no effect until the periods fit them again.
 */
export function* updateSettings(change: Change, body: BudgetSettingsUpdate): Steps<SettingsOfBook> {
  const before = yield* find(budgetSettings, { book_id: change.bookId });
  const columns = columnsOf(body);
  if (before !== undefined) return yield* change.update(budgetSettings, before, columns);
  return yield* change.insert(budgetSettings, { ...defaultSettings, ...columns });
}

/** Returns settings as in a response. */
export function settingsToWire(settings: SettingsOfBook): BudgetSettings {
  return {
    budget_period_granularity: settings.granularity,
    budget_period_quantity: settings.quantity,
    budget_period_anchor_date: settings.anchor_date,
    budget_hide_no_activity: settings.hide_no_activity,
    budget_use_last_day_of_month: settings.use_last_day_of_month,
    budget_income_option: settings.income_option,
    budget_rollover_left_to_budget: settings.rollover_left_to_budget,
  };
}

function columnsOf(body: BudgetSettingsUpdate) {
  return given({
    granularity: body.budget_period_granularity,
    quantity: body.budget_period_quantity,
    anchor_date: body.budget_period_anchor_date,
    hide_no_activity: body.budget_hide_no_activity,
    use_last_day_of_month: body.budget_use_last_day_of_month,
    income_option: body.budget_income_option,
    rollover_left_to_budget: body.budget_rollover_left_to_budget,
  });
}
