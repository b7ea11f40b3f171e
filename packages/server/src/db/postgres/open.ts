import type { Engine } from '../engine.ts';
import { checkIdentity } from './identity.ts';
import { migratePostgres, serverWarnings } from './migrate.ts';
import { openPostgres } from './postgres.ts';
import type { PostgresOptions } from './postgres.ts';

/**
 * Opens a PostgreSQL database, and brings its schema up to date.
 *
 * A database that was copied or restored gets a new id ({@link checkIdentity}). `onWarning` gets a sentence for each
 * server setting that can lose data. Rejects with a DatabaseError if the server cannot be reached, or with a
 * NewerDatabaseError or an UnfitServerError; then nothing is changed.
 */
export async function openPostgresDatabase(
  options: PostgresOptions,
  onWarning?: (sentence: string) => void,
): Promise<Engine> {
  const engine = openPostgres(options);
  try {
    await migratePostgres(engine);
    await checkIdentity(engine);
    if (onWarning !== undefined) (await serverWarnings(engine)).forEach(onWarning);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return engine;
}
