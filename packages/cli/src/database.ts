import { existsSync } from 'node:fs';
import { openDatabase, parseDatabase, settings } from '@coffer/server';
import type { DatabaseConfig, Engine, Migration, SqliteConfig } from '@coffer/server';
import type { Command } from 'commander';
import { writeLine } from './context.ts';
import type { CommandContext } from './context.ts';
import { Failure, Misuse } from './failure.ts';
import { quote } from './terminal/format.ts';

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

/** Opens a database for `work`, creates it if it is missing, and closes it in any case. */
export async function withDatabase<T>(
  config: DatabaseConfig,
  context: CommandContext,
  work: (database: Engine) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(config, {
    onMigration: (migration) => reportMigration(migration, context),
    now: () => context.now().getTime(),
  });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The database that was named. Throws a {@link Failure} when it is missing: most likely it was misspelt. */
export function readExistingDatabase(
  options: DatabaseOptions,
  context: CommandContext,
): DatabaseConfig {
  const { text, database } = readDatabase(options, context);
  if (database.engine === 'postgres' || existsSync(database.path)) return database;
  throw new Failure(`There is no database "${text}": name the right one by --database`);
}

/** Returns a database in a file. Throws a {@link Failure} that names the tools for PostgreSQL. */
export function asFile(database: DatabaseConfig): SqliteConfig {
  if (database.engine === 'sqlite') return database;
  throw new Failure(
    'This command is for database files: a PostgreSQL database is backed up by pg_dump and restored by pg_restore',
  );
}

/** Reports a migration on stderr, with the backup from before it. */
export function reportMigration({ from, to, backup }: Migration, { stderr }: CommandContext): void {
  const change = `The database was brought from schema version ${from} to ${to}`;
  writeLine(stderr, `${change}; as it was before, it is in ${quote(backup)}`);
}

/** The database that was named, by flag or variable, and its URL as it was written. */
export function readDatabase(
  options: DatabaseOptions,
  { environment }: CommandContext,
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
