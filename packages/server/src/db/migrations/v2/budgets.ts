import type { MigrationWords } from '../words.ts';

/**
 * Budgets of categories by the first day of their period, and the settings that define the periods of a book.
 *
 * The index of transactions has all that a summary adds up, so that it reads no rows. Its condition is what `listed`
 * is computed from, because SQLite reads the row for a generated column.
 */
export function budgets({
  integer,
  text,
  sortedText,
  flag,
  endOfKeyedTable,
}: MigrationWords): string {
  const yesOrNo = (column: string) => `${column} ${flag} NOT NULL CHECK (${column} IN (0, 1))`;
  const amount = (column: string) =>
    `${column} ${integer} NOT NULL CHECK (${column} BETWEEN -9007199254740991 AND 9007199254740991)`;
  return `
CREATE TABLE budgets (
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  category_id ${integer} NOT NULL,
  start_date ${sortedText} NOT NULL CHECK (length(start_date) = 10),
  ${amount('amount')},
  currency ${text} NOT NULL,
  ${amount('to_base')},
  notes ${text},
  PRIMARY KEY (book_id, category_id, start_date),
  FOREIGN KEY (book_id, category_id) REFERENCES categories (book_id, id)
)${endOfKeyedTable};
CREATE INDEX budgets_by_start ON budgets (book_id, start_date);

CREATE TABLE budget_settings (
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  number ${integer} NOT NULL CHECK (number = 1),
  granularity ${text} NOT NULL
    CHECK (granularity IN ('day', 'week', 'month', 'year', 'twice a month')),
  quantity ${integer} NOT NULL CHECK (quantity > 0),
  anchor_date ${text} NOT NULL CHECK (length(anchor_date) = 10),
  ${yesOrNo('hide_no_activity')},
  ${yesOrNo('use_last_day_of_month')},
  income_option ${text} NOT NULL CHECK (income_option IN ('max', 'budgeted', 'activity')),
  ${yesOrNo('rollover_left_to_budget')},
  PRIMARY KEY (book_id, number)
)${endOfKeyedTable};

CREATE INDEX transactions_to_sum ON transactions (book_id, date, category_id, recurring_id, to_base)
  WHERE is_pending = 0 AND is_split_parent = 0 AND group_parent_id IS NULL;
`;
}
