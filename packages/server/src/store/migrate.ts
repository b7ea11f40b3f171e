import { records } from './migrations/001-records.ts';
import type { SqliteEngine } from './sqlite.ts';

/** Every schema since the first, in order; the n-th brings a database from version n - 1 to n. */
const migrations: readonly string[] = [records];

/** The schema version that this program reads and writes. */
export const schemaVersion: number = migrations.length;

/** The database was written by a newer program, whose records this one could not keep whole. */
class NewerDatabaseError extends Error {
  override name = 'NewerDatabaseError';
  constructor(found: number) {
    super(
      `The database has schema version ${found}, but this program knows ${schemaVersion} at most: run the newer program`,
    );
  }
}

/**
 * Brings a database to the current schema, all or nothing.
 *
 * Safe beside other processes that do the same. Throws {@link NewerDatabaseError} and changes nothing when the
 * database is newer than this program.
 */
export function migrate(engine: SqliteEngine): void {
  if (engine.schemaVersion === schemaVersion) return;
  engine.execute('BEGIN IMMEDIATE');
  try {
    // Read again under the write lock: another process may have migrated in between.
    const found = engine.schemaVersion;
    if (found > schemaVersion) throw new NewerDatabaseError(found);
    for (const script of migrations.slice(found)) engine.execute(script);
    engine.execute(`PRAGMA user_version = ${schemaVersion}; COMMIT`);
  } catch (error) {
    engine.execute('ROLLBACK');
    throw error;
  }
}
