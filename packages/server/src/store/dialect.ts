import sql, { raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { postgresWords, sqliteWords, transactionJson } from './row-json.ts';

/** How many transaction ids are given out at once: few enough to lose, many enough to seldom ask. */
export const idBlock = 500;

/**
 * What SQLite and PostgreSQL say in other words. Every statement that is not made of these is the same text on both,
 * and no operation asks which engine it runs on.
 */
export interface Dialect {
  /** A text expression as bytes in UTF-8. */
  bytes(text: Sql): Sql;
  /** Reserves {@link idBlock} transaction ids that nobody was given before; gives the first as `first`. */
  readonly reserveIds: Sql;
  /** The integers of a column with a JSON array, as a table `j` with the column `value`. */
  integersOf(column: Sql): Sql;
  /** The expression that the stored column `json` was made by. */
  readonly transactionJson: Sql;
  /** What the engine can check of itself: rows with `kind` and `detail`. */
  readonly ownChecks: readonly Sql[];
}

export const sqliteDialect: Dialect = {
  bytes: (text) => sql`CAST(${text} AS BLOB)`,
  reserveIds: sql`
    UPDATE id_sequences SET next_id = next_id + ${idBlock} WHERE name = 'transactions'
    RETURNING next_id - ${idBlock} AS first`,
  integersOf: (column) => sql`json_each(${column}) j`,
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
  reserveIds: sql`SELECT nextval('transaction_ids') AS first`,
  integersOf: (column) =>
    sql`(SELECT value::bigint AS value FROM json_array_elements_text(${column}::json)) j`,
  transactionJson: raw(transactionJson(postgresWords)),
  ownChecks: [],
};
