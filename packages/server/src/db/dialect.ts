import sql, { empty, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { postgresWords, sqliteWords, transactionJson } from './migrations/transaction-json.ts';

/** How many transaction ids are given out at once: few enough to lose, many enough to seldom ask. */
export const idBlock = 500;

/**
 * What SQLite and PostgreSQL say in other words. Every statement that is not made of these is the same text on both,
 * and no operation asks which engine it runs on.
 */
export interface Dialect {
  /** A text expression as bytes in UTF-8. */
  bytes(text: Sql): Sql;
  /** Ends a SELECT so that its rows stay as they are until the transaction ends; readers do not wait for it. */
  readonly lockingRows: Sql;
  /** The time by the clock of the database, in milliseconds since 1970: the same clock for every node. */
  readonly databaseNowMs: Sql;
  /** Reserves {@link idBlock} transaction ids that nobody was given before; gives the first as `first`. */
  readonly reserveIds: Sql;
  /** The expression that the stored column `json` was made by. */
  readonly transactionJson: Sql;
  /** What the engine can check of itself: rows with `kind` and `detail`. */
  readonly ownChecks: readonly Sql[];
}

export const sqliteDialect: Dialect = {
  bytes: (text) => sql`CAST(${text} AS BLOB)`,
  // A write transaction has the whole file to itself.
  lockingRows: empty,
  databaseNowMs: sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  reserveIds: sql`
    UPDATE id_sequences SET next_id = next_id + ${idBlock} WHERE name = 'transactions'
    RETURNING next_id - ${idBlock} AS first`,
  transactionJson: raw(transactionJson(sqliteWords)),
  ownChecks: [
    sql`SELECT 'integrity' AS kind, integrity_check AS detail FROM pragma_integrity_check
      WHERE integrity_check <> 'ok'`,
    sql`SELECT 'foreign keys' AS kind,
        'Row ' || rowid || ' of ' || "table" || ' points to a missing row of ' || parent AS detail
      FROM pragma_foreign_key_check`,
  ],
};

/** PostgreSQL refuses what its checks and keys forbid at all times, and keeps no list of what might be damaged. */
export const postgresDialect: Dialect = {
  // Its driver reads everything as text; the type tells what is to become bytes.
  bytes: (text) => sql`CAST(${text} AS varchar)`,
  // Not FOR UPDATE: rows that refer to this one may be inserted beside it.
  lockingRows: sql`FOR NO KEY UPDATE`,
  databaseNowMs: sql`CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)`,
  reserveIds: sql`SELECT nextval('transaction_ids') AS first`,
  transactionJson: raw(transactionJson(postgresWords)),
  ownChecks: [],
};
