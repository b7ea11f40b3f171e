import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { newPostgresUrl, openSmallPostgres } from './engines.ts';

const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, `schema-11.${name}.sql`), 'utf8');

/**
 * Makes a database of the base schema at a path: a book whose derived tables are not filled yet.
 *
 * The files `schema-11` never change. They are what commit 9dfc568 made of a database of schema 2.
 */
export function makeBaseFile(path: string): void {
  const database = new Database(path);
  try {
    database.exec(`${read('sqlite')}${read('rows')}
      UPDATE id_sequences SET next_id = 501; PRAGMA journal_mode = WAL`);
  } finally {
    database.close();
  }
}

/** Makes the same database on PostgreSQL, and returns its URL. */
export async function makeBaseUrl(): Promise<string> {
  const url = await newPostgresUrl('empty');
  const rows = read('rows').replaceAll(/x'([0-9a-f]+)'/g, String.raw`'\x$1'`);
  const numbered =
    'users books access_tokens manual_accounts categories transaction_files crypto_synced_accounts';
  const sequences = numbered
    .split(' ')
    .map((name) => `SELECT setval(pg_get_serial_sequence('${name}', 'id'), 100)`);
  const engine = openSmallPostgres(url, { statementTimeoutMs: 30_000 });
  await engine.migrate(0, (connection) =>
    connection.command(
      `${read('postgres')}${rows}${sequences.join(';')}; SELECT setval('transaction_ids', 501)`,
    ),
  );
  return url;
}
