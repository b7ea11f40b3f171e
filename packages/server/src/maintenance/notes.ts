import sql from 'sql-template-tag';
import type { Engine } from '../db/engine.ts';
import { rowsAs } from '../db/rows.ts';
import { integer, text } from '../db/table.ts';

/**
 * Returns a sentence for each book and currency with transactions whose `to_base` is 0 because there is no exchange
 * rate. These records are correct: the value follows when rates are imported.
 */
export async function notesOf(engine: Engine): Promise<string[]> {
  const found = await engine.read(() =>
    rowsAs({ book_id: integer, currency: text, primary_currency: text, count: integer }, missing),
  );
  return found.map(
    ({ book_id, currency, primary_currency, count }) =>
      `Book ${book_id}: transactions in ${currency} without an exchange rate, whose value in ${primary_currency} is 0: ${count}`,
  );
}

/** One euro is one euro on every date. */
const missing = sql`
  SELECT t.book_id, t.currency, b.primary_currency, count(*) AS count
  FROM transactions t JOIN books b ON b.id = t.book_id
  WHERE t.to_base = 0 AND t.amount <> 0 AND t.currency <> b.primary_currency AND t.is_group_parent = 0
    AND (
      (t.currency <> 'eur' AND NOT EXISTS (
        SELECT 1 FROM exchange_rates r WHERE r.currency = t.currency AND r.date <= t.date))
      OR (b.primary_currency <> 'eur' AND NOT EXISTS (
        SELECT 1 FROM exchange_rates r WHERE r.currency = b.primary_currency AND r.date <= t.date)))
  GROUP BY t.book_id, t.currency, b.primary_currency
  ORDER BY t.book_id, t.currency`;
