import { existsSync } from 'node:fs';
import { openStore, parseDatabase, settings } from '@coffer/server';
import type { DatabaseConfig, Migration, SqliteConfig, Store } from '@coffer/server';
import type { Command } from 'commander';
import { Failure, Misuse } from './failure.ts';
import { quote } from './printable.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

/** The flag that every command takes. */
export interface DatabaseOptions {
  readonly database?: string;
}

/** Adds `--database`, which every command takes. */
export function addDatabaseOption(command: Command): Command {
  const { flag, placeholder, variable, fallback, description } = settings.database;
  return command.option(
    `${flag} ${placeholder}`,
    `${description} (${variable}; default ${fallback})`,
  );
}

/** Opens the database for `work`, makes it if it is missing, and closes it whatever happens. */
export function withStore<T>(
  options: DatabaseOptions,
  surroundings: Surroundings,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const { database } = readDatabase(options, surroundings);
  return useStore(database, surroundings, work);
}

/** As withStore, but a database that is not there is a {@link Failure}. */
export function withExistingStore<T>(
  options: DatabaseOptions,
  surroundings: Surroundings,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  return useStore(readExistingDatabase(options, surroundings), surroundings, work);
}

/** The database that was named. Throws a {@link Failure} when it is not there: most likely it was misspelt. */
export function readExistingDatabase(
  options: DatabaseOptions,
  surroundings: Surroundings,
): DatabaseConfig {
  const { text, database } = readDatabase(options, surroundings);
  if (database.engine === 'postgres' || existsSync(database.path)) return database;
  throw new Failure(`There is no database "${text}": name the right one by --database`);
}

/** The database that was named, which must be a file. Throws a {@link Failure} that says what to use instead. */
export function asFile(database: DatabaseConfig): SqliteConfig {
  if (database.engine === 'sqlite') return database;
  throw new Failure(
    'This command is for database files: a PostgreSQL database is backed up by pg_dump and restored by pg_restore',
  );
}

/** Says on stderr that a database was brought up to date, and where it is as it was before. */
export function tellMigration({ from, to, backup }: Migration, { stderr }: Surroundings): void {
  const change = `The database was brought from schema version ${from} to ${to}`;
  writeLine(stderr, `${change}; as it was before, it is in ${quote(backup)}`);
}

async function useStore<T>(
  database: DatabaseConfig,
  surroundings: Surroundings,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(database, (migration) => tellMigration(migration, surroundings));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The database that was named, by flag or variable, and its URL as it was written. */
export function readDatabase(
  options: DatabaseOptions,
  { environment }: Surroundings,
): { text: string; database: DatabaseConfig } {
  const { variable, fallback, flag } = settings.database;
  // An empty variable counts as unset, as it does for the server.
  const fromEnvironment = environment[variable] ?? '';
  const text = options.database ?? (fromEnvironment === '' ? fallback : fromEnvironment);
  try {
    return { text, database: parseDatabase(text) };
  } catch (error) {
    throw new Misuse(`${flag} (${variable}): ${(error as Error).message}`);
  }
}
