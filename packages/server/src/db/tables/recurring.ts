import {
  integer,
  text,
  amount,
  day,
  positive,
  id,
  oneOf,
  nullable,
  withDefault,
  reference,
  looseReference,
  checked,
  bookTable,
  currency,
  anyDay,
  anyAmount,
} from '../table.ts';
import type { Table } from '../table.ts';

/**
 * Recurring items. `amount` and `amount_tolerance` are ten-thousandths: a transaction may differ from the amount by the
 * tolerance. The `override_` columns are shown for linked transactions.
 */
export const recurringItems = bookTable(
  'recurring_items',
  {
    id,
    book_id: integer,
    description: nullable(text),
    status: oneOf('suggested', 'reviewed', 'dismissed'),
    source: oneOf('manual', 'transaction', 'system'),
    start_date: nullable(anyDay),
    end_date: nullable(anyDay),
    granularity: oneOf('day', 'week', 'month', 'year'),
    quantity: positive,
    anchor_date: day,
    payee: nullable(text),
    amount,
    amount_tolerance: withDefault(checked(anyAmount, '@ BETWEEN 0 AND 9007199254740991'), 0),
    to_base: amount,
    currency,
    manual_account_id: looseReference('manual_accounts'),
    plaid_account_id: looseReference('plaid_accounts'),
    override_payee: nullable(text),
    override_notes: nullable(text),
    override_category_id: reference('categories'),
    created_by: integer,
    created_at: text,
    updated_at: text,
  },
  { noun: 'recurring item', exclusive: [['manual_account_id', 'plaid_account_id']] },
);

/** The records of a book about recurring items. A table comes after those that it refers to. */
export const recurringRecords: readonly Table<'book'>[] = [recurringItems];

/** The other tables about recurring items, which a move copies. */
export const recurringTables: readonly Table<'server'>[] = [];
