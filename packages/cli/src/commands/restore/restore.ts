import { parseFilesLocation } from '@coffer/server/src/files/store.ts';
import type { S3Location, FileStore } from '@coffer/server/src/files/store.ts';
import { statSync } from 'node:fs';
import { fetchBackup } from '@coffer/server/src/maintenance/scheduled/fetch.ts';
import { copyFiles, type CopiedFiles } from '@coffer/server/src/files/content.ts';
import { filesInDatabase, filesOfBackup } from '@coffer/server/src/maintenance/backup-files.ts';
import { startRestore, type RestoreSummary } from '@coffer/server/src/maintenance/restore.ts';
import type { Command } from 'commander';
import { perform } from '../options.ts';
import { writeResult, type CommandContext, type JsonOption } from '../../terminal/context.ts';
import {
  addDatabaseOption,
  addFilesOption,
  asFile,
  openFilesOf,
  readDatabase,
  refuseLost,
} from '../database.ts';
import type { DatabaseOptions, FilesOptions } from '../database.ts';
import { Failure } from '../../terminal/failure.ts';
import { readSetting } from '../environment.ts';
import { contentsOf, filesText, quote, stopwatch } from '../../terminal/format.ts';

interface RestoreOptions extends DatabaseOptions, FilesOptions, JsonOption {
  readonly replace?: true;
}

/** `coffer restore`. */
export function define(command: Command, context: CommandContext): void {
  command
    .description(
      'Check a backup and restore the database file from it, completely or not at all. ' +
        'The database must not be in use. Attached files are copied back from the folder of the backup, and checked.',
    )
    .argument(
      '<file>',
      'backup to restore; or s3://… of one in a bucket, or of the place for the newest',
    )
    .option('--replace', 'keep an existing database under a name with the time')
    .option('--json', 'print a line of JSON');
  perform(addDatabaseOption(addFilesOption(command)), context, restoreFrom);
}

async function restoreFrom(
  file: string,
  options: RestoreOptions,
  context: CommandContext,
): Promise<void> {
  const { text, database: named } = readDatabase(options, context);
  const database = asFile(named);
  if (database.path === ':memory:') {
    throw new Failure('A database in memory ends with the command. Name a file with --database');
  }
  const elapsed = stopwatch();
  const backup = await openBackup(file, database.path, context);
  const place = await openFilesOf(options, database, context);
  const how = { replace: options.replace === true, now: context.now() };
  const summary = await restore(backup, database.path, how, place.store)
    .catch((error: unknown) => {
      throw refusal(error, backup.name, text);
    })
    .finally(place.close)
    .finally(backup.discard);
  const elapsedMs = elapsed();
  const record = {
    database: database.path,
    bytes: summary.bytes,
    transactions: summary.transactions,
    schema_version: summary.schemaVersion,
    has_checksum: summary.hasChecksum,
    set_aside: summary.setAside,
    attached_files: summary.files.total,
    files_copied: summary.files.written,
    files_lost: summary.files.faults.size,
    elapsed_ms: elapsedMs,
  };
  writeResult(context, options, record, describe(text, place.name, summary, elapsedMs));
  const where = `next to the backup or in ${place.name}`;
  refuseLost(summary.files, where, 'The database is restored, except for');
}

type Restored = RestoreSummary & { readonly files: CopiedFiles };

/** A backup on this machine. */
interface OpenBackup {
  readonly file: string;
  /** For messages: quoted, and without secrets. */
  readonly name: string;
  readonly files: FileStore;
  readonly discard: () => Promise<void>;
}

async function openBackup(
  text: string,
  database: string,
  { now }: CommandContext,
): Promise<OpenBackup> {
  if (!/^s3(\+http)?:/.test(text)) {
    checkFile(text);
    return {
      file: text,
      name: quote(text),
      files: filesOfBackup(text),
      discard: () => Promise.resolve(),
    };
  }
  const bucket = readSetting('The backup', text, parseFilesLocation);
  const { address, ...backup } = await fetchBackup(bucket as S3Location, database, {
    now: () => now().getTime(),
  });
  return { ...backup, name: address };
}

/** Replaces a database that is not in use by that of a backup, with its attached files. */
async function restore(
  backup: OpenBackup,
  path: string,
  how: Parameters<typeof startRestore>[2],
  store: FileStore,
): Promise<Restored> {
  const started = startRestore(backup.file, path, how);
  try {
    // First, so that the database never lacks files that the backup has.
    const files = await copyFiles(filesInDatabase(started.path), backup.files, store);
    return { ...started.finish(), files };
  } finally {
    started.discard();
  }
}

function checkFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new Failure(`There is no file ${quote(file)}`);
  if (!stats.isFile()) throw new Failure(`Cannot restore ${quote(file)}: it is not a regular file`);
}

/** Translates errors of the server. Other errors stay the same. */
function refusal(error: unknown, file: string, database: string): unknown {
  if (!(error instanceof Error)) return error;
  switch (error.name) {
    case 'UnsoundFileError':
      return new Failure(`Cannot restore ${file}: it ${error.message}`);
    case 'NewerDatabaseError':
    case 'OlderDatabaseError':
      return new Failure(`Cannot restore ${file}: ${error.message}`);
    case 'DatabaseExistsError':
      return new Failure(
        `The database ${quote(database)} already exists. Keep it under another name with --replace, or choose another --database`,
      );
    default:
      return error;
  }
}

function describe(database: string, place: string, summary: Restored, elapsedMs: number): string {
  const lines = [contentsOf(database, summary, filesText(summary.files, place), elapsedMs)];
  if (!summary.hasChecksum)
    lines.push('The file has no checksum, so only its structure was checked');
  if (summary.setAside !== null)
    lines.push(`The database from before is now ${quote(summary.setAside)}`);
  return lines.join('\n');
}
