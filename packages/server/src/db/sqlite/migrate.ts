import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { migrations, refuseNewer, schemaVersion } from '../migrations/index.ts';
import { withDatabaseErrors } from './faults.ts';
import type { SqliteEngine } from './sqlite.ts';

/** Longer than a migration of millions of rows takes: whoever opens a database meanwhile waits for it. */
const migrationTimeoutMs = 120_000;

/**
 * Throws a NewerDatabaseError when the file is newer than this program, before anything of it is changed:
 * to open it as an engine sets how its log is kept, which a newer program may do in another way.
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
 * Safe beside other processes that do the same: one of them migrates, the others wait for it. `beforeChange` is called
 * with the version that was found, unless the database is new, while nobody else can write and nothing is written yet;
 * when it throws nothing is. Throws a NewerDatabaseError and changes nothing when the database is newer than this
 * program.
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

/** A full disk, for one, has taken everything back already (https://sqlite.org/lang_transaction.html, 3). */
function rollBack(engine: SqliteEngine): void {
  try {
    engine.execute('ROLLBACK');
  } catch {
    // What went wrong before says more.
  }
}
