import type { Store } from '../records/store.ts';
import { migratePostgres, serverWarnings } from './migrate-postgres.ts';
import { openPostgres } from './postgres.ts';
import type { PostgresOptions } from './postgres.ts';
import { createStore } from './store.ts';

/**
 * Opens a PostgreSQL database, brings its schema up to date and returns its store.
 *
 * `onWarning` is told, a sentence each, what makes the server one that may lose records. Rejects with a
 * StoreUnavailableError when the server cannot be reached, and with a NewerDatabaseError or an UnfitServerError; then
 * nothing is changed.
 */
export async function openPostgresStore(
  options: PostgresOptions,
  onWarning?: (sentence: string) => void,
): Promise<Store> {
  const engine = openPostgres(options);
  try {
    await migratePostgres(engine);
    if (onWarning !== undefined) (await serverWarnings(engine)).forEach(onWarning);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return createStore(engine);
}
