import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { migrations, refuseNewer, schemaVersion } from '../migrations/index.ts';
import { withDatabaseErrors } from './faults.ts';
import type { SqliteEngine } from './sqlite.ts';

/** How long other processes wait for a migration. Longer than a migration of millions of rows takes. */
const migrationTimeoutMs = 120_000;

/**
 * Throws a NewerDatabaseError if the schema of the file is newer than this program. Changes nothing, whereas opening an
 * engine sets the journal mode, which a newer program may use differently.
 */
export function refuseNewerFile(path: string, busyTimeoutMs: number): void {
  if (path === ':memory:' || !existsSync(path)) return;
  withDatabaseErrors(() => {
    const database = new Database(path, { fileMustExist: true, timeout: busyTimeoutMs });
    try {
      refuseNewer(database.pragma('user_version', { simple: true }) as number);
    } finally {
      database.close();
    }
  });
}

/**
 * Brings a database to the current schema, all or nothing.
 *
 * Several processes can call it at the same time: one migrates, the others wait. `beforeChange` is called with the
 * version that was found, while other processes cannot write and before anything is written; not for a new database. If
 * it throws, nothing is changed. Throws a NewerDatabaseError if the database is newer than this program.
 */
export function migrate(engine: SqliteEngine, beforeChange?: (from: number) => void): void {
  if (engine.schemaVersion === schemaVersion) return;
  engine.execute('BEGIN IMMEDIATE', migrationTimeoutMs);
  try {
    // Read again under the write lock: another process may have migrated in between.
    const found = engine.schemaVersion;
    refuseNewer(found);
    if (found > 0 && found < schemaVersion) beforeChange?.(found);
    for (const { sqlite } of migrations.slice(found)) engine.execute(sqlite);
    engine.execute(`PRAGMA user_version = ${schemaVersion}; COMMIT`);
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
