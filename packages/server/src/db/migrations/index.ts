import { records as postgresRecords } from './postgres/001-records.ts';
import { crypto as postgresCrypto } from './postgres/002-crypto.ts';
import { records as sqliteRecords } from './sqlite/001-records.ts';
import { crypto as sqliteCrypto } from './sqlite/002-crypto.ts';
import { changes } from './003-changes.ts';
import { v2 } from './004-v2.ts';
import { imports } from './005-imports.ts';
import { following } from './006-following.ts';
import { sessions } from './007-sessions.ts';
import { search } from './008-search.ts';
import { status } from './009-status.ts';
import { hidden } from './010-hidden.ts';
import { strangers } from './011-strangers.ts';
import { postgresMigration, sqliteMigration } from './words.ts';
import type { MigrationWords } from './words.ts';

/** One migration as a script for each engine. */
interface Migration {
  readonly sqlite: string;
  readonly postgres: string;
}

/** All migrations in order. The n-th migrates from schema version n - 1 to n. Released migrations never change. */
export const migrations: readonly Migration[] = [
  { sqlite: sqliteRecords, postgres: postgresRecords },
  { sqlite: sqliteCrypto, postgres: postgresCrypto },
  forBoth(changes),
  forBoth(v2),
  forBoth(imports),
  forBoth(following),
  forBoth(sessions),
  forBoth(search),
  forBoth(status),
  forBoth(hidden),
  forBoth(strangers),
];

/** The schema version that this program reads and writes. */
export const schemaVersion: number = migrations.length;

/** The database was written by a newer program, whose data this one could damage. */
class NewerDatabaseError extends Error {
  override name = 'NewerDatabaseError';
  constructor(found: number) {
    super(
      `The database has schema version ${found}, but this program supports at most ${schemaVersion}: ` +
        'run a newer version of Coffer',
    );
  }
}

/** Throws {@link NewerDatabaseError} for a version that this program does not support. */
export function refuseNewer(found: number): void {
  if (found > schemaVersion) throw new NewerDatabaseError(found);
}

function forBoth(script: (words: MigrationWords) => string): Migration {
  return { sqlite: script(sqliteMigration), postgres: script(postgresMigration) };
}
