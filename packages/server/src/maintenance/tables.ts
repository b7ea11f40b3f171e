import sql, { join, raw, type Sql } from 'sql-template-tag';
import { idBlock, sqliteDialect } from '../db/dialect.ts';
import { dialectOf, row, rows, run, type Steps } from '../db/engine.ts';
import { computedTables } from '../db/computed-tables.ts';
import { keyOf, type Table } from '../db/table.ts';
import {
  accessTokens,
  bookTables,
  books,
  databaseIdentity,
  leases,
  serverTables,
  transactions,
  users,
} from '../db/tables/tables.ts';
import { Findings, type Finding } from './finding.ts';

/**
 * Every table that is moved: the users, the records of the books, the derived tables, and the change log. The id, the
 * leases, the schema versions and the sequences of a database are not moved.
 *
 * A test compares the list with the catalogs of both engines.
 */
export const movedTables: readonly Table[] = [
  users,
  books,
  accessTokens,
  ...bookTables,
  ...serverTables,
  ...computedTables,
];

/** Every table whose rows are written by the program. */
export const everyTable: readonly Table[] = [...movedTables, databaseIdentity, leases];

/** The tables whose ids are assigned by the database. */
export const numberedTables: readonly Table[] = movedTables.filter(hasId);

/** Returns how many ids the sequence of a table assigns at once. */
function idsAtOnce(table: Table): number {
  return table === transactions ? idBlock : 1;
}

/** Returns the primary key, in whose order rows are read. On SQLite it is only the id if there is one. */
export function storageKey(table: Table, engine: 'sqlite' | 'postgres'): readonly string[] {
  return engine === 'sqlite' && hasId(table) ? ['id'] : keyOf(table);
}

function hasId({ columns }: Table): boolean {
  return Object.hasOwn(columns, 'id');
}

/** The rows and columns of a table to read. */
export interface Selection {
  /** Must include the columns of the primary key. Default: every column. */
  readonly columns?: Sql;
  readonly where?: Sql;
  readonly limit: number;
}

/** Returns a SELECT of the first rows of a table in the order of its primary key, or of the rows after `last`. */
export function rowsAfter(
  { name }: Table,
  key: readonly string[],
  last: Readonly<Record<string, unknown>> | undefined,
  { columns = raw('*'), where = sql`1 = 1`, limit }: Selection,
): Sql {
  const order = raw(key.join(', '));
  const after =
    last === undefined
      ? sql`1 = 1`
      : sql`(${order}) > (${join(key.map((column) => last[column]))})`;
  return sql`SELECT ${columns} FROM ${raw(name)} WHERE ${after} AND ${where} ORDER BY ${order} LIMIT ${limit}`;
}

/** Rows that are read at once: few enough to fit in memory. */
const limit = 5000;

/** Returns the next rows of a table in the order of its primary key; none after the last one. */
export function* nextRows<T extends Readonly<Record<string, unknown>>>(
  table: Table,
  selection: Omit<Selection, 'limit'>,
  last?: T,
): Steps<T[]> {
  const engine = (yield* dialectOf()) === sqliteDialect ? 'sqlite' : 'postgres';
  const key = storageKey(table, engine);
  return yield* rows<T>(rowsAfter(table, key, last, { ...selection, limit }));
}

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
