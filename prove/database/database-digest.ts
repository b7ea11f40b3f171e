import { createHash } from 'node:crypto';
import { columnsOf, printed } from '../../packages/server/src/db/testing/whole-database.ts';
import { readFile } from '../run/ledger.ts';

export type Columns = ReturnType<typeof columnsOf>;

export interface DatabaseDigest {
  readonly schemaVersion: number;
  readonly sum: bigint;
  /** SHA-256 of all values of all rows in the order of the primary key. */
  readonly tables: Readonly<Record<string, { readonly rows: number; readonly hash: string }>>;
}

/** Reads all rows of those tables. Opening the file applies its write-ahead log. */
export function digest(path: string, columns: Columns): DatabaseDigest {
  return readFile(path, (database) => {
    database.defaultSafeIntegers();
    const list = (sql: string): IterableIterator<string> =>
      database.prepare<[], string>(sql).pluck().iterate();
    const digestOf = (table: string, names: readonly string[]) => {
      const keys = [
        ...list(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0 ORDER BY pk`),
      ];
      const values = `json_array(${names.map(printed).join(', ')})`;
      const hash = createHash('sha256');
      let rows = 0;
      for (const row of list(`SELECT ${values} FROM ${table} ORDER BY ${keys.join(', ')}`)) {
        hash.update(row).update('\n');
        rows += 1;
      }
      return { rows, hash: hash.digest('hex') };
    };
    const tables = Object.entries(columns).map(([table, names]) => [table, digestOf(table, names)]);
    const sum = database.prepare<[], bigint>('SELECT ifnull(sum(amount), 0) FROM transactions');
    return {
      schemaVersion: Number(database.pragma('user_version', { simple: true })),
      sum: sum.pluck().get() ?? 0n,
      tables: Object.fromEntries(tables) as DatabaseDigest['tables'],
    };
  });
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

/** Columns that differ between two runs of one command: times, and the differences in the log, which have times. */
const isTime = (column: string): boolean => /^at$|_at$|^balance_as_of$|^diff$/.test(column);

export function lastingColumns(path: string): Columns {
  const all = Object.entries(columnsOf(path));
  return Object.fromEntries(
    all.map(([table, names]) => [table, names.filter((name) => !isTime(name))]),
  );
}
