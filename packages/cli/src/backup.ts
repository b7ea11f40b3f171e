import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backUpDatabase } from '@coffer/server';
import type { BackupSummary } from '@coffer/server';
import type { Command } from 'commander';
import { Failure } from './failure.ts';
import { addDatabaseOption, asFile, readExistingDatabase } from './open-database.ts';
import type { DatabaseOptions } from './open-database.ts';
import { count, quote } from './printable.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

interface BackupOptions extends DatabaseOptions {
  readonly force?: true;
  readonly json?: true;
}

/** `coffer backup`. */
export function defineBackup(command: Command, surroundings: Surroundings): void {
  command
    .description(
      'Write a backup of the whole database, as it is at one instant, beside whoever uses it. ' +
        'The file appears when it is whole, checked and on the disk.',
    )
    .argument('<file>', 'file to write')
    .option('--force', 'replace a file that is there')
    .option('--json', 'print a line of JSON');
  addDatabaseOption(command).action((file: string, options: BackupOptions) =>
    backUpTo(file, options, surroundings),
  );
}

function backUpTo(file: string, options: BackupOptions, surroundings: Surroundings): void {
  const database = asFile(readExistingDatabase(options, surroundings));
  const target = findTarget(file, database.path, options.force === true);
  const startedAtMs = performance.now();
  const summary = backUp(() => backUpDatabase(database, target));
  const elapsedMs = Math.round(performance.now() - startedAtMs);
  const isJson = options.json === true;
  const text = isJson ? json(file, summary, elapsedMs) : sentence(file, summary, elapsedMs);
  writeLine(surroundings.stdout, text);
}

/** The file itself where a link to it was named. Throws {@link Failure} for what must not be replaced. */
function findTarget(file: string, database: string, force: boolean): string {
  const folder = statSync(dirname(file), { throwIfNoEntry: false });
  if (folder === undefined) {
    throw new Failure(`Cannot write to ${quote(file)}: there is no folder ${quote(dirname(file))}`);
  }
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return file;
  const target = realpathSync(file);
  if (ownFiles(database).includes(target)) {
    throw new Failure(`Cannot write to ${quote(file)}: it belongs to the database itself`);
  }
  if (!stats.isFile()) throw new Failure(`Cannot write to ${quote(file)}: it is no regular file`);
  if (force) return target;
  throw new Failure(`There is a file ${quote(file)} already: --force replaces it`);
}

function ownFiles(database: string): string[] {
  const path = realpathSync(database);
  return ['', '-wal', '-shm', '-journal', '-lock'].map((end) => path + end);
}

function backUp(work: () => BackupSummary): BackupSummary {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'UnsoundFileError') throw error;
    throw new Failure(`The database ${error.message}\nNo backup was written`);
  }
}

function json(file: string, summary: BackupSummary, elapsedMs: number): string {
  return JSON.stringify({
    file,
    bytes: summary.bytes,
    transactions: summary.transactions,
    schema_version: summary.schemaVersion,
    elapsed_ms: elapsedMs,
  });
}

function sentence(file: string, summary: BackupSummary, elapsedMs: number): string {
  const { transactions, schemaVersion, bytes } = summary;
  const holds = `${count(transactions, 'transaction')} at schema version ${schemaVersion}`;
  return `${quote(file)} holds ${holds}: ${inUnits(bytes)}, checked, in ${inSeconds(elapsedMs)}`;
}

/** A size for people, such as `11.3 MB`. */
export function inUnits(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;
}

/** A time for people, such as `27 ms` or `1.4 s`. */
export function inSeconds(elapsedMs: number): string {
  if (elapsedMs < 1000) return `${elapsedMs} ms`;
  return `${(elapsedMs / 1000).toLocaleString('en', { maximumFractionDigits: 1 })} s`;
}
