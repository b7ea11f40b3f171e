import sql from 'sql-template-tag';
import type { Engine, Steps } from '../db/engine.ts';
import { rowAs, rowsAs } from '../db/rows.ts';
import { integer, nullable, text } from '../db/table.ts';

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

/** The size of the change logs of all books. */
export interface LogSize {
  readonly versions: number;
  /** Records with consecutive ids can share a line. */
  readonly lines: number;
  /** The bytes of the contents, without indexes. */
  readonly bytes: number;
  /** ISO 8601 in UTC; null if there is no change. */
  readonly oldest_at: string | null;
}

/** The columns of a line with numbers, without its contents. */
const lineBytes = 40;

/** Returns the size of the change logs. Reads all of them. */
export async function logSizeOf(engine: Engine): Promise<LogSize> {
  const size = await engine.read(() =>
    rowAs(
      { versions: integer, lines: integer, bytes: integer, oldest_at: nullable(text) },
      sql`
        SELECT versions, oldest_at, lines, contents + ${lineBytes} * lines AS bytes FROM
          (SELECT count(*) AS versions, min(at) AS oldest_at FROM changes) entries,
          (SELECT count(*) AS lines, CAST(coalesce(sum(octet_length(record) + coalesce(octet_length(diff), 0)), 0)
            AS BIGINT) AS contents FROM changed_records) all_lines`,
    ),
  );
  return size!;
}
