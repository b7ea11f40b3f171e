import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backUpDatabase } from '@coffer/server';
import type { BackupSummary } from '@coffer/server';
import type { Command } from 'commander';
import { writeResult } from '../../context.ts';
import type { CommandContext, JsonOption } from '../../context.ts';
import { addDatabaseOption, asFile, readExistingDatabase } from '../../database.ts';
import type { DatabaseOptions } from '../../database.ts';
import { Failure } from '../../failure.ts';
import { contentsOf, quote, stopwatch } from '../../terminal/format.ts';

interface BackupOptions extends DatabaseOptions, JsonOption {
  readonly force?: true;
}

/** `coffer backup`. */
export function define(command: Command, context: CommandContext): void {
  command
    .description(
      'Write a backup of a database file, as of one instant, also while a server is running. ' +
        'The backup gets its name when it is complete, checked and on the disk.',
    )
    .argument('<file>', 'file to write')
    .option('--force', 'replace an existing file')
    .option('--json', 'print a line of JSON');
  addDatabaseOption(command).action((file: string, options: BackupOptions) =>
    backUpTo(file, options, context),
  );
}

function backUpTo(file: string, options: BackupOptions, context: CommandContext): void {
  const database = asFile(readExistingDatabase(options, context));
  const target = findTarget(file, database.path, options.force === true);
  const elapsed = stopwatch();
  const summary = backUp(() => backUpDatabase(database, target));
  const elapsedMs = elapsed();
  const { bytes, transactions, schemaVersion } = summary;
  const record = {
    file,
    bytes,
    transactions,
    schema_version: schemaVersion,
    elapsed_ms: elapsedMs,
  };
  writeResult(context, options, record, contentsOf(file, summary, elapsedMs));
}

/** Returns the file, or the target of a link. Throws {@link Failure} for a file that must not be replaced. */
function findTarget(file: string, database: string, force: boolean): string {
  const folder = statSync(dirname(file), { throwIfNoEntry: false });
  if (folder === undefined) {
    throw new Failure(`Cannot write to ${quote(file)}: there is no folder ${quote(dirname(file))}`);
  }
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return file;
  const target = realpathSync(file);
  if (ownFiles(database).includes(target)) {
    throw new Failure(`Cannot write to ${quote(file)}: it is a file of the database itself`);
  }
  if (!stats.isFile())
    throw new Failure(`Cannot write to ${quote(file)}: it is not a regular file`);
  if (force) return target;
  throw new Failure(`The file ${quote(file)} already exists. Replace it with --force`);
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
