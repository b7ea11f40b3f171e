import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import type { columnsOf } from '../../packages/server/src/db/testing/whole-database.ts';

/** The tables that must be the same in two databases, and the columns of each that are compared. */
export type Columns = ReturnType<typeof columnsOf>;

/** The digest of a table. */
interface TableDigest {
  readonly rows: number;
  /** SHA-256 of all values of all rows in the order of the primary key. */
  readonly hash: string;
}

/** The digests of some tables, and the sum of all amounts. */
export interface DatabaseDigest {
  readonly schemaVersion: number;
  readonly sum: bigint;
  readonly tables: Readonly<Record<string, TableDigest>>;
}

/** Reads all rows of those tables. Opening the file applies its write-ahead log. */
export function digest(path: string, columns: Columns): DatabaseDigest {
  const database = new Database(path, { fileMustExist: true });
  try {
    database.defaultSafeIntegers();
    const tables = Object.entries(columns).map(
      ([table, names]) => [table, digestTable(database, table, names)] as const,
    );
    const sums = database.prepare<[], bigint>('SELECT ifnull(sum(amount), 0) FROM transactions');
    return {
      schemaVersion: Number(database.pragma('user_version', { simple: true })),
      sum: sums.pluck().get() ?? 0n,
      tables: Object.fromEntries(tables),
    };
  } finally {
    database.close();
  }
}

/** Returns a line for each table that differs, and for the sum. The schema versions may differ. */
export function differences(expected: DatabaseDigest, found: DatabaseDigest): string[] {
  const problems = Object.entries(expected.tables).flatMap(([table, { rows, hash }]) => {
    const other = found.tables[table];
    if (other?.hash === hash) return [];
    return [`${table} has ${other?.rows} rows instead of ${rows}, or different ones`];
  });
  if (expected.sum === found.sum) return problems;
  return [...problems, `the sum of amounts is ${found.sum} instead of ${expected.sum}`];
}

function digestTable(
  database: Database.Database,
  table: string,
  columns: readonly string[],
): TableDigest {
  const hash = createHash('sha256');
  let rows = 0;
  const keys = database
    .prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
    .pluck()
    .all(table);
  const statement = database.prepare<[], string>(
    `SELECT json_array(${columns.map(printed).join(', ')}) FROM ${table} ORDER BY ${keys.join(', ')}`,
  );
  for (const row of statement.pluck().iterate()) {
    hash.update(row).update('\n');
    rows += 1;
  }
  return { rows, hash: hash.digest('hex') };
}

/** JSON has no type for bytes. */
function printed(column: string): string {
  return `iif(typeof(${column}) = 'blob', hex(${column}), ${column})`;
}
