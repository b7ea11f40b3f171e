import sql, { raw } from 'sql-template-tag';
import { row, rows, run } from './engine.ts';
import type { Operation } from './engine.ts';
import { tablesOf } from './move-catalog.ts';
import type { Catalog, ColumnRow, NextIds, Table, Value } from './move-catalog.ts';

/** Sequences that belong to no column, by the table that they give ids to. */
const freeSequences: readonly SequenceRow[] = [
  { table: 'transactions', sequence: 'transaction_ids' },
];

interface SequenceRow {
  readonly table: string;
  readonly sequence: string;
}

/** The schema that a connection to PostgreSQL sees first, where all tables of this program are. */
export const ownSchema = raw('(SELECT oid FROM pg_namespace WHERE nspname = current_schema())');

/** The schema of a PostgreSQL database, read from the server's catalog. */
export const postgresCatalog: Catalog = {
  *readTables() {
    return tablesOf(
      yield* rows<ColumnRow>(sql`
        SELECT c.relname AS "table", a.attname AS "column",
          CASE WHEN a.attgenerated = '' THEN 0 ELSE 1 END AS "isGenerated",
          array_position(k.indkey::smallint[], a.attnum) AS "keyPlace"
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
          LEFT JOIN pg_index k ON k.indrelid = c.oid AND k.indisprimary
        WHERE c.relnamespace = ${ownSchema} AND c.relkind IN ('r', 'p') ORDER BY c.relname, a.attnum`),
    );
  },

  *readNextIds() {
    const nextIds = new Map<string, number>();
    for (const { table, sequence } of yield* readSequences()) {
      const found = yield* row<{ next: number }>(sql`
        SELECT CASE WHEN s.is_called THEN s.last_value + q.seqincrement ELSE s.last_value END AS next
        FROM ${raw(sequence)} s, pg_sequence q WHERE q.seqrelid = ${sequence}::text::regclass`);
      if (found !== undefined) nextIds.set(table, found.next);
    }
    return nextIds;
  },

  /** RESTART is taken back with the transaction, which setval is not (PostgreSQL manual, ALTER SEQUENCE). */
  *writeNextIds(nextIds: NextIds): Operation<void> {
    for (const { table, sequence } of yield* readSequences())
      yield* run(raw(`ALTER SEQUENCE ${sequence} RESTART WITH ${nextIds.get(table) ?? 1}`));
  },

  /** The keys come as one JSON text: the server knows the types of the columns. */
  rowsWithKeys({ name, key }: Table, keys: readonly (readonly Value[])[]) {
    const records = keys.map((values) =>
      Object.fromEntries(key.map((column, index) => [column, values[index]])),
    );
    const isThat = key.map((column) => `t.${column} = k.${column}`).join(' AND ');
    return sql`SELECT t.* FROM json_populate_recordset(NULL::${raw(name)}, ${JSON.stringify(records)}) k
      JOIN ${raw(name)} t ON ${raw(isThat)}`;
  },

  *keepWritersOut(tables: readonly Table[]) {
    yield* run(raw(`LOCK TABLE ${tables.map(({ name }) => name).join(', ')} IN SHARE MODE`));
    // After the lock, because it takes the snapshot. The session is idle while the target works, as long as that takes.
    yield* run(sql`
      SELECT set_config(name, '0', true) FROM pg_settings WHERE name IN
        ('idle_in_transaction_session_timeout', 'statement_timeout', 'transaction_timeout')`);
  },
};

function* readSequences(): Operation<SequenceRow[]> {
  const ofColumns = yield* rows<SequenceRow>(sql`
    SELECT c.relname AS "table", pg_get_serial_sequence(quote_ident(c.relname), a.attname) AS sequence
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = ${ownSchema} AND a.attidentity <> '' ORDER BY c.relname`);
  return [...ofColumns, ...freeSequences];
}
