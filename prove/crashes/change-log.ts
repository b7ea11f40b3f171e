import type Database from 'better-sqlite3';
import { counted } from '../run/check.ts';
import { readFile } from '../run/ledger.ts';

interface Line {
  readonly book_id: number;
  readonly record: string;
  readonly first_id: number;
  readonly last_id: number;
  readonly kind: 'made' | 'changed' | 'removed';
  readonly diff: string | null;
}

type Row = Readonly<Record<string, unknown>> & { readonly id: number };

const tables = ['tags', 'categories', 'manual_accounts', 'crypto_synced_accounts', 'transactions'];

/**
 * Compares the records of a database with its change log. Every version must have lines, exactly the records that were
 * created and not removed must exist, and columns must have the value that was logged last.
 */
export function logProblems(path: string): string[] {
  return readFile(path, (database) => [
    ...versionProblems(database),
    ...tables.flatMap((table) => rowProblems(database, table)),
  ]);
}

function versionProblems(database: Database.Database): string[] {
  const count = (query: string): number => database.prepare<[], number>(query).pluck().get() ?? 0;
  const found = {
    'books are not at the version of their last change': count(`
      SELECT count(*) FROM books b WHERE (b.version, b.changed_at) <>
        (SELECT max(version), max(at) FROM changes c WHERE c.book_id = b.id)`),
    'versions do not follow a version with an earlier time': count(`
      SELECT count(*) FROM changes c WHERE version > (SELECT min(version) FROM changes WHERE book_id = c.book_id)
        AND NOT EXISTS (SELECT 1 FROM changes b
          WHERE b.book_id = c.book_id AND b.version = c.version - 1 AND b.at < c.at)`),
    'versions have no lines': count(`SELECT count(*) FROM changes c WHERE NOT EXISTS
      (SELECT 1 FROM changed_records r WHERE r.book_id = c.book_id AND r.version = c.version)`),
    'lines have no version': count(`SELECT count(*) FROM changed_records r WHERE NOT EXISTS
      (SELECT 1 FROM changes c WHERE c.book_id = r.book_id AND c.version = r.version)`),
  };
  return Object.entries(found).flatMap(([what, many]) => counted(many, what));
}

function rowProblems(database: Database.Database, table: string): string[] {
  const lines = database
    .prepare<[string], Line>(
      'SELECT * FROM changed_records WHERE record = ? ORDER BY book_id, version, place',
    )
    .all(table);
  const logged = new Map<string, Record<string, unknown>>();
  for (const { book_id, first_id, last_id, kind, diff } of lines)
    for (let id = first_id; id <= last_id; id += 1) {
      const key = `${book_id}/${id}`;
      if (kind === 'removed') logged.delete(key);
      else if (kind === 'made') logged.set(key, {});
      else Object.assign(logged.get(key) ?? {}, afterOf(diff));
    }
  const rows = database.prepare<[], Row & { book_id: number }>(`SELECT * FROM ${table}`).all();
  const present = new Map(rows.map((row) => [`${row.book_id}/${row.id}`, row]));
  const unlogged = [...present.keys()].filter((key) => !logged.has(key));
  const lost = [...logged.keys()].filter((key) => !present.has(key));
  const other = [...logged].filter(([key, values]) =>
    Object.entries(values).some(([name, value]) => !isSame(present.get(key)?.[name], value)),
  );
  return [
    ...counted(unlogged.length, `rows of ${table} are not in the log`),
    ...counted(lost.length, `rows of ${table} are only in the log`),
    ...counted(other.length, `rows of ${table} differ from the log`),
  ];
}

/** Returns the values after a change, from a line `{column: [before, after]}`. */
function afterOf(diff: string | null): Record<string, unknown> {
  const pairs = Object.entries(JSON.parse(diff ?? '{}') as Record<string, [unknown, unknown]>);
  return Object.fromEntries(pairs.map(([name, [, after]]) => [name, after]));
}

/** SQLite stores a boolean as a number. */
function isSame(stored: unknown, logged: unknown): boolean {
  return stored === (typeof logged === 'boolean' ? Number(logged) : logged);
}
