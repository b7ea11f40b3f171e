import sql from 'sql-template-tag';
import type { Engine, Steps } from '../db/engine.ts';
import { rowsAs } from '../db/rows.ts';
import { integer, text } from '../db/table.ts';

/** Returns a sentence for each thing that is not wrong, but that somebody should know. */
export async function notesOf(engine: Engine): Promise<string[]> {
  return engine.read(function* () {
    return [
      ...(yield* missingRates()),
      ...(yield* disabledWebhooks()),
      ...(yield* unfinishedRemovals()),
    ];
  });
}

/**
 * Transactions whose `to_base` is 0 because there is no exchange rate, for each book and currency. These records are
 * correct: the value follows when rates are imported.
 */
function* missingRates(): Steps<string[]> {
  const found = yield* rowsAs(
    { book_id: integer, currency: text, primary_currency: text, count: integer },
    missing,
  );
  return found.map(
    ({ book_id, currency, primary_currency, count }) =>
      `Book ${book_id}: transactions in ${currency} without an exchange rate, whose value in ${primary_currency} is 0: ${count}`,
  );
}

/** Removals that were interrupted, and traces that are not overwritten yet. */
function* unfinishedRemovals(): Steps<string[]> {
  const found = yield* rowsAs(
    { books: integer, traces: integer },
    sql`SELECT (SELECT count(*) FROM books b JOIN users u ON u.id = b.user_id WHERE u.email LIKE 'removed %') AS books,
      (SELECT count(*) FROM database_identity WHERE name = 'traces') AS traces`,
  );
  const { books = 0, traces = 0 } = found[0] ?? {};
  if (books > 0) return [`Books whose removal is not finished: ${books}. The server finishes it`];
  if (traces === 0) return [];
  return [
    'Unused parts of the database file may have traces of what was removed. The server overwrites them',
  ];
}

/** Webhooks that were not disabled on request. */
function* disabledWebhooks(): Steps<string[]> {
  const found = yield* rowsAs(
    { book_id: integer, id: integer, disabled_reason: text, disabled_at: text },
    sql`SELECT book_id, id, disabled_reason, disabled_at FROM webhooks
      WHERE disabled_reason <> 'request' ORDER BY book_id, id`,
  );
  return found.map(
    ({ book_id, id, disabled_reason: reason, disabled_at }) =>
      `Book ${book_id}: the webhook ${id} is disabled since ${disabled_at}: ${notices[reason] ?? reason}`,
  );
}

const notices: Readonly<Record<string, string>> = {
  failing: 'no delivery succeeded for 24 hours',
  gone: 'the receiver responded with 410 Gone',
  pruned: 'the change log no longer has its next changes',
  moved: 'the database was restored or moved',
};

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
