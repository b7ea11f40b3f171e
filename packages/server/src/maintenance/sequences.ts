import sql, { raw } from 'sql-template-tag';
import { sqliteDialect } from '../db/dialect.ts';
import { dialectOf, row, rows, run } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import type { Table } from '../db/table.ts';
import { transactions } from '../db/tables/tables.ts';
import { Findings } from './finding.ts';
import type { Finding } from './finding.ts';
import { idsAtOnce, numberedTables } from './tables.ts';

/** Returns the id that the next row of a table gets. */
export function* nextId(table: Table): Steps<number> {
  const { name } = table;
  const found =
    (yield* dialectOf()) === sqliteDialect
      ? yield* row<{ next: number }>(sql`
          SELECT seq + 1 AS next FROM sqlite_sequence WHERE name = ${name}
          UNION ALL SELECT next_id FROM id_sequences WHERE name = ${name}`)
      : yield* row<{ next: number }>(sql`
          SELECT last_value + CASE WHEN is_called THEN ${idsAtOnce(table)}::bigint ELSE 0 END AS next
          FROM ${raw(yield* sequenceOf(table))}`);
  return found?.next ?? 1;
}

/** Sets the id that the next row of a table gets. It is rolled back with the transaction. */
export function* setNextId(table: Table, next: number): Steps<void> {
  const { name } = table;
  if ((yield* dialectOf()) !== sqliteDialect) {
    // Unlike RESTART, setval is not rolled back (PostgreSQL manual, ALTER SEQUENCE).
    yield* run(raw(`ALTER SEQUENCE ${yield* sequenceOf(table)} RESTART WITH ${next}`));
  } else if (table === transactions) {
    yield* run(sql`INSERT INTO id_sequences (name, next_id) VALUES (${name}, ${next})
      ON CONFLICT (name) DO UPDATE SET next_id = excluded.next_id`);
  } else {
    // SQLite adds the row with the first id of a table. A table that never had an id has no row.
    yield* run(sql`DELETE FROM sqlite_sequence WHERE name = ${name}`);
    // The column accepts any type, and the driver binds numbers as floats.
    if (next > 1)
      yield* run(sql`INSERT INTO sqlite_sequence VALUES (${name}, CAST(${next - 1} AS INTEGER))`);
  }
}

/** Returns the sequence of an identity column. That of transactions does not belong to a column. */
function* sequenceOf({ name }: Table): Steps<string> {
  const found = yield* row<{ sequence: string | null }>(
    sql`SELECT pg_get_serial_sequence(${name}, 'id') AS sequence`,
  );
  return found?.sequence ?? 'transaction_ids';
}

/**
 * Checks that no table gets an id again that a row has, or that the change log knows of a row that was removed: such an
 * insert would fail, or an undo would find another record.
 */
export function* checkSequences(repair: boolean): Steps<Finding[]> {
  const findings = new Findings('id sequences', { repaired: repair });
  const logged = yield* rows<{ record: string; last: number }>(
    sql`SELECT record, max(last_id) AS last FROM changed_records GROUP BY record`,
  );
  const inLog = new Map(logged.map(({ record, last }) => [record, last]));
  for (const table of numberedTables) {
    const { name } = table;
    const found = yield* row<{ last: number | null }>(
      sql`SELECT max(id) AS last FROM ${raw(name)}`,
    );
    const last = Math.max(found?.last ?? 0, inLog.get(name) ?? 0);
    const next = yield* nextId(table);
    if (next > last) continue;
    findings.add(`The next id of ${name} is ${next}, but the id ${last} was used already`);
    if (repair) yield* setNextId(table, last + 1);
  }
  return findings.list();
}
