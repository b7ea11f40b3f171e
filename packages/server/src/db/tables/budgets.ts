import {
  integer,
  text,
  flag,
  amount,
  day,
  positive,
  oneOf,
  nullable,
  requiredReference,
  checked,
  sorted,
  bookTable,
  currency,
} from '../table.ts';
import type { Table } from '../table.ts';

/** What is budgeted for a category in the period that starts on a date. Amounts are ten-thousandths. */
export const budgets = bookTable(
  'budgets',
  {
    book_id: integer,
    category_id: requiredReference('categories'),
    start_date: sorted(day),
    amount,
    currency,
    to_base: amount,
    notes: nullable(text),
  },
  { noun: 'budget', key: ['category_id', 'start_date'] },
);

/** The periods of a book's budgets, and preferences. Without a record the book has the default settings. */
export const budgetSettings = bookTable(
  'budget_settings',
  {
    book_id: integer,
    // Always 1, because a record has an integer in its key, and a book has one record.
    number: checked(integer, '@ = 1'),
    granularity: oneOf('day', 'week', 'month', 'year', 'twice a month'),
    quantity: positive,
    anchor_date: day,
    hide_no_activity: flag,
    use_last_day_of_month: flag,
    income_option: oneOf('max', 'budgeted', 'activity'),
    rollover_left_to_budget: flag,
  },
  { noun: 'budget settings', key: ['number'] },
);

/** How budgets and screens treat a category: whether what is left of its budgets carries over, and how it looks. */
export const categorySettings = bookTable(
  'category_settings',
  {
    book_id: integer,
    category_id: requiredReference('categories'),
    rollover: flag,
    icon: nullable(text),
    colour: nullable(text),
  },
  { noun: 'category settings', key: ['category_id'] },
);

/** The records of a book about budgets and their settings. A table comes after those that it refers to. */
export const budgetsRecords: readonly Table<'book'>[] = [budgets, budgetSettings, categorySettings];

/** The other tables about budgets and their settings, which a move copies. */
export const budgetsTables: readonly Table<'server'>[] = [];
