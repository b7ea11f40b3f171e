import { existsSync } from 'node:fs';
import { openDatabase, parseDatabase, settings } from '@coffer/server';
import type { DatabaseConfig, Engine, Migration, SqliteConfig } from '@coffer/server';
import type { Command } from 'commander';
import { writeLine } from './context.ts';
import type { CommandContext } from './context.ts';
import { Failure, Misuse } from './failure.ts';
import { quote } from './terminal/format.ts';

/** The option of every command. */
export interface DatabaseOptions {
  readonly database?: string;
}

/** Adds `--database`. */
export function addDatabaseOption(command: Command): Command {
  const { flag, placeholder, variable, fallback, description } = settings.database;
  return command.option(
    `${flag} ${placeholder}`,
    `${description} (${variable}; default ${fallback})`,
  );
}

/** Opens a database for `work`, creates it if it is missing, and closes it afterwards. */
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

/** Returns the named database. Throws a {@link Failure} if it is missing, because it was probably misspelt. */
export function readExistingDatabase(
  options: DatabaseOptions,
  context: CommandContext,
): DatabaseConfig {
  const { text, database } = readDatabase(options, context);
  if (database.engine === 'postgres' || existsSync(database.path)) return database;
  throw new Failure(`There is no database "${text}". Name another one with --database`);
}

/** Returns a database file. Throws a {@link Failure} for PostgreSQL, which has its own tools. */
export function asFile(database: DatabaseConfig): SqliteConfig {
  if (database.engine === 'sqlite') return database;
  throw new Failure(
    'This command is for SQLite files. Use pg_dump and pg_restore for a PostgreSQL database',
  );
}

/** Reports a migration on stderr, with the backup that was made before it. */
export function reportMigration({ from, to, backup }: Migration, { stderr }: CommandContext): void {
  const change = `The database was upgraded from schema version ${from} to ${to}`;
  writeLine(stderr, `${change}. A backup from before is in ${quote(backup)}`);
}

/** Returns the database that the flag or the variable names, and its URL as it was written. */
export function readDatabase(
  options: DatabaseOptions,
  { environment }: CommandContext,
): { text: string; database: DatabaseConfig } {
  const { variable, fallback, flag } = settings.database;
  // An empty variable counts as unset, as for the server.
  const fromEnvironment = environment[variable] ?? '';
  const text = options.database ?? (fromEnvironment === '' ? fallback : fromEnvironment);
  try {
    return { text, database: parseDatabase(text) };
  } catch (error) {
    throw new Misuse(`${flag} (${variable}): ${(error as Error).message}`);
  }
}
