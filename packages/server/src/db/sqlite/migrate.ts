import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { newestOf, refuseOthers, schemas, scriptsFrom } from '../tables/migrations.ts';
import { withDatabaseErrors } from './connection.ts';
import type { SqliteEngine } from './sqlite.ts';

/** How long other processes wait for a migration. Longer than a migration of millions of rows takes. */
const migrationTimeoutMs = 120_000;

/**
 * Throws a NewerDatabaseError or an OlderDatabaseError if this program cannot open the schema of a file. Changes
 * nothing, whereas opening an engine sets the journal mode, which a newer program may use differently.
 */
export function refuseOtherFile(path: string, busyTimeoutMs: number, known = schemas): void {
  if (path === ':memory:' || !existsSync(path)) return;
  withDatabaseErrors(() => {
    const database = new Database(path, { fileMustExist: true, timeout: busyTimeoutMs });
    try {
      refuseOthers(database.pragma('user_version', { simple: true }) as number, known);
    } finally {
      database.close();
    }
  });
}

/**
 * Brings a database to the newest schema, all or nothing.
 *
 * Several processes can call it at the same time: one migrates, the others wait. `beforeChange` is called with the
 * version that was found, while other processes cannot write and before anything is written; not for a new database. If
 * it throws, nothing is changed. Throws a NewerDatabaseError or an OlderDatabaseError if this program cannot open the
 * schema.
 */
export function migrate(
  engine: SqliteEngine,
  beforeChange?: (from: number) => void,
  known = schemas,
): void {
  const newest = newestOf(known);
  if (engine.schemaVersion === newest) return;
  engine.execute('BEGIN IMMEDIATE', migrationTimeoutMs);
  try {
    // Read again under the write lock: another process may have migrated in between.
    const found = engine.schemaVersion;
    refuseOthers(found, known);
    if (found > 0 && found < newest) beforeChange?.(found);
    for (const { script } of scriptsFrom(found, 'sqlite', known)) engine.execute(script);
    engine.execute(`PRAGMA user_version = ${newest}; COMMIT`);
  } catch (error) {
    rollBack(engine);
    throw error;
  }
}

/** SQLite rolls back some errors itself, such as a full disk (https://sqlite.org/lang_transaction.html, 3). */
function rollBack(engine: SqliteEngine): void {
  try {
    engine.execute('ROLLBACK');
  } catch {
    // The first error says more.
  }
}
