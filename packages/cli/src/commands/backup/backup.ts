import { lockDatabase } from '@coffer/server/src/db/sqlite/files.ts';
import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SqliteConfig } from '@coffer/server/src/config.ts';
import { busyTimeoutMs } from '@coffer/server/src/database.ts';
import { backUpWhole, filesFolderOf } from '@coffer/server/src/maintenance/backup-files.ts';
import type { WholeBackup } from '@coffer/server/src/maintenance/backup-files.ts';
import type { Command } from 'commander';
import { perform } from '../options.ts';
import { writeResult, type CommandContext, type JsonOption } from '../../terminal/context.ts';
import {
  addDatabaseOption,
  addFilesOption,
  asFile,
  openFilesOf,
  readExistingDatabase,
  refuseLost,
} from '../database.ts';
import type { DatabaseOptions, FilesOptions, FilesPlace } from '../database.ts';
import { Failure } from '../../terminal/failure.ts';
import { contentsOf, count, filesText, quote, stopwatch } from '../../terminal/format.ts';

interface BackupOptions extends DatabaseOptions, FilesOptions, JsonOption {
  readonly force?: true;
}

/** `coffer backup`. */
export function define(command: Command, context: CommandContext): void {
  command
    .description(
      'Write a backup of a database file, as of one instant, also while a server is running. ' +
        'The backup gets its name when it is complete, checked and on the disk. ' +
        'Attached files that are in a folder are copied to a folder next to it, and checked.',
    )
    .argument('<file>', 'file to write')
    .option('--force', 'replace an existing file')
    .option('--json', 'print a line of JSON');
  perform(addDatabaseOption(addFilesOption(command)), context, backUpTo);
}

async function backUpTo(
  file: string,
  options: BackupOptions,
  context: CommandContext,
): Promise<void> {
  const database = asFile(readExistingDatabase(options, context));
  const place = await openFilesOf(options, database, context);
  const target = findTarget(file, database.path, options.force === true);
  const elapsed = stopwatch();
  const summary = await backUp(database, target, place).finally(place.close);
  const elapsedMs = elapsed();
  const { bytes, transactions, schemaVersion, attached, files } = summary;
  const record = {
    file,
    bytes,
    transactions,
    schema_version: schemaVersion,
    attached_files: attached,
    files_copied: files?.written ?? 0,
    ...(files !== null && files.total > 0 && { files_folder: filesFolderOf(target) }),
    files_lost: files?.faults.size ?? 0,
    elapsed_ms: elapsedMs,
  };
  const text = contentsOf(file, summary, describeFiles(summary, target, place.name), elapsedMs);
  writeResult(context, options, record, text);
  if (files !== null) refuseLost(files, `in ${place.name}`, 'The backup is complete, except for');
}

function describeFiles({ attached, files }: WholeBackup, target: string, place: string): string {
  if (files !== null) return filesText(files, quote(filesFolderOf(target)));
  const what = count(attached, 'attached file');
  return attached === 0 ? '' : `, without its ${what}, which stay in ${place}`;
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

/** Writes a backup, with attached files unless they are in a bucket. Others may use the database meanwhile. */
async function backUp(
  { path }: SqliteConfig,
  target: string,
  place: FilesPlace,
): Promise<WholeBackup> {
  const lock = lockDatabase(path, 'command', busyTimeoutMs);
  try {
    return await backUpWhole(path, target, place.isBucket ? null : place.store);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'UnsoundFileError') throw error;
    throw new Failure(`The database ${error.message}\nNo backup was written`);
  } finally {
    lock.release();
  }
}
