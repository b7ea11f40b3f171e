import type { MigrationWords } from '../words.ts';

const largest = '9007199254740991';

/**
 * Recurring items. A dismissed item is kept, so that the same suggestion is not made again. Accounts have no foreign
 * key: like transactions, an item keeps the id of an account that was deleted.
 */
export function recurring(words: MigrationWords): string {
  const { id, integer, text, bookKey, endOfTable } = words;
  return `
CREATE TABLE recurring_items (
  id ${id},
  book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
  description ${text},
  status ${text} NOT NULL CHECK (status IN ('suggested', 'reviewed', 'dismissed')),
  source ${text} NOT NULL CHECK (source IN ('manual', 'transaction', 'system')),
  start_date ${text},
  end_date ${text},
  granularity ${text} NOT NULL CHECK (granularity IN ('day', 'week', 'month', 'year')),
  quantity ${integer} NOT NULL CHECK (quantity > 0),
  anchor_date ${text} NOT NULL CHECK (length(anchor_date) = 10),
  payee ${text},
  amount ${integer} NOT NULL CHECK (amount BETWEEN -${largest} AND ${largest}),
  amount_tolerance ${integer} NOT NULL DEFAULT 0 CHECK (amount_tolerance BETWEEN 0 AND ${largest}),
  to_base ${integer} NOT NULL CHECK (to_base BETWEEN -${largest} AND ${largest}),
  currency ${text} NOT NULL,
  manual_account_id ${integer},
  plaid_account_id ${integer},
  override_payee ${text},
  override_notes ${text},
  override_category_id ${integer},
  created_by ${integer} NOT NULL,
  created_at ${text} NOT NULL,
  updated_at ${text} NOT NULL,
  ${bookKey},
  CHECK (manual_account_id IS NULL OR plaid_account_id IS NULL),
  FOREIGN KEY (book_id, override_category_id) REFERENCES categories (book_id, id)
)${endOfTable};
CREATE INDEX recurring_items_by_category
  ON recurring_items (book_id, override_category_id) WHERE override_category_id IS NOT NULL;
`;
}
