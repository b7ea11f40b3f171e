import { parseFilesLocation, type FileStore } from '@coffer/server/src/files/store.ts';
import { existsSync, readdirSync } from 'node:fs';
import { openDatabase } from '@coffer/server/src/database.ts';
import { openFiles, type OpenedFiles } from '@coffer/server/src/files/open.ts';
import {
  parseDatabase,
  type DatabaseConfig,
  type SqliteConfig,
} from '@coffer/server/src/config.ts';
import { settings } from '@coffer/server/src/settings.ts';
import type { CopiedFiles } from '@coffer/server/src/files/content.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import type { Migration } from '@coffer/server/src/maintenance/open-sqlite.ts';
import type { Command } from 'commander';
import { writeLine, type CommandContext } from '../terminal/context.ts';
import { Failure } from '../terminal/failure.ts';
import { readSetting } from './environment.ts';
import { count, quote, listed } from '../terminal/format.ts';
import { basename, dirname, join } from 'node:path';
import type { RemovalSummary } from '@coffer/server/src/maintenance/user-removal.ts';

/** The option of every command. */
export interface DatabaseOptions {
  readonly database?: string;
}

/** The option of commands that read or write attached files. */
export interface FilesOptions {
  readonly files?: string;
}

/** Adds `--files`. */
export function addFilesOption(command: Command): Command {
  const { flag, placeholder, variable, description } = settings.files;
  return command.option(`${flag} ${placeholder}`, `${description} (${variable})`);
}

/** An open place of attached files, and how to name it in messages, without secrets. */
export interface FilesPlace extends OpenedFiles {
  readonly name: string;
  readonly isBucket: boolean;
}

/** Opens the place where the server of a database keeps files, if it has the same settings. */
export async function openFilesOf(
  { files: option }: FilesOptions,
  database: DatabaseConfig,
  { environment }: CommandContext,
): Promise<FilesPlace> {
  const { flag, variable } = settings.files;
  const text = option ?? environment[variable] ?? '';
  const location = readSetting(`${flag} (${variable})`, text, parseFilesLocation);
  const path = database.engine === 'sqlite' ? database.path : null;
  const opened = await openFiles(location, path);
  return { ...opened, name: placeName(location, path), isBucket: location?.kind === 's3' };
}

function placeName(location: ReturnType<typeof parseFilesLocation>, path: string | null): string {
  if (location?.kind === 's3') {
    const { origin, bucket, prefix } = location;
    return `the bucket ${quote(`${origin}/${bucket}/${prefix}`)}`;
  }
  return quote(location?.path ?? `${path}-files`);
}

const listedFaults = 10;

/** Throws a {@link Failure} that lists the attached files that could not be copied, if any. */
export function refuseLost({ faults }: CopiedFiles, where: string, outcome: string): void {
  if (faults.size === 0) return;
  const shown = [...faults].slice(0, listedFaults).map(([key, fault]) => `${key} ${fault}`);
  if (faults.size > listedFaults) shown.push(`… and ${faults.size - listedFaults} more`);
  const what = count(faults.size, 'attached file');
  const hint = `If they are elsewhere, name the place with ${settings.files.flag}`;
  throw new Failure(`${outcome} ${what}, not found intact ${where}:\n${shown.join('\n')}\n${hint}`);
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
  return { text, database: readSetting(`${flag} (${variable})`, text, parseDatabase) };
}

/** Runs a removal with the place of attached files, and reports it on stderr with all that may be left. */
export async function reportRemoval(
  what: string,
  config: DatabaseConfig,
  context: CommandContext,
  remove: (files: FileStore) => Promise<RemovalSummary>,
): Promise<void> {
  const path = config.engine === 'sqlite' ? config.path : null;
  const { variable } = settings.files;
  const text = context.environment[variable] ?? '';
  const { store, close } = await openFiles(readSetting(variable, text, parseFilesLocation), path);
  const { isErased, files } = await remove(store).finally(close);
  const write = (sentence: string): void => writeLine(context.stderr, sentence);
  write(`Removed ${what}${files === 0 ? '' : `, and ${count(files, 'attached file')}`}`);
  if (!isErased)
    write(
      'Unused parts of the database file may still have traces of it, because others use it all the time. The server overwrites them',
    );
  const copies = path === null ? [] : copiesOf(path);
  if (copies.length > 0)
    write(`Older copies of the database may have it: ${listed(copies.map(quote))}`);
}

/** Returns the copies that an upgrade, a restore or a move has left next to a database. */
function copiesOf(path: string): string[] {
  const name = basename(path);
  return readdirSync(dirname(path))
    .filter((each) => each.startsWith(`${name}.before-`) || each.startsWith(`${name}.replaced-`))
    .map((each) => join(dirname(path), each))
    .toSorted();
}
