import { closeSync, openSync, renameSync } from 'node:fs';
import Database from 'better-sqlite3';
import { sealBackup } from './backup-checksum.ts';
import { examineFile, readContents, sound } from './examine-file.ts';
import type { FileContents } from './examine-file.ts';
import { removeTemporary, syncFolderOf, temporaryName } from './files.ts';
import { refuseNewer } from './migrate.ts';

/** A backup that was written. */
export interface BackupSummary extends FileContents {
  /** Of the file. */
  readonly bytes: number;
}

/** How long a read waits while another process has a database to itself, which is never long, in milliseconds. */
const openTimeoutMs = 30_000;

/**
 * Writes a database as it is at one instant to a file, which is there when it is whole and on the disk.
 *
 * Writers go on meanwhile: only the log cannot be folded in beyond that instant. The file is for its owner alone; it
 * is examined, and has a checksum ({@link sealBackup}). `file` is replaced, so whoever calls has to look first. Throws
 * {@link UnsoundFileError} when the database is not sound, a NewerDatabaseError when it is of a newer program, and
 * errors of the system; then there is no trace of the attempt. A process that is killed leaves a temporary file whose
 * name begins with a dot and ends in `.tmp`.
 */
export function backUp(database: string, file: string): BackupSummary {
  const temporary = temporaryName(file);
  try {
    copySnapshot(database, temporary, { readonly: false });
    const contents = examineFile(temporary);
    const bytes = sealBackup(temporary);
    renameSync(temporary, file);
    syncFolderOf(file);
    return { ...contents, bytes };
  } catch (error) {
    removeTemporary(temporary);
    throw error;
  }
}

/**
 * Copies one instant of a database of Coffer into a new file for its owner alone.
 *
 * By VACUUM INTO and not by the library's page by page backup, which begins anew whenever another process writes: with
 * one that writes every 2 ms it never ended, where this took a second for 260 MB. What was deleted is not in the copy.
 */
export function copySnapshot(
  from: string,
  to: string,
  { readonly }: { readonly readonly: boolean },
): void {
  sound(() => {
    const source = new Database(from, { readonly, fileMustExist: true, timeout: openTimeoutMs });
    try {
      refuseNewer(readContents(source).schemaVersion);
      closeSync(openSync(to, 'wx', 0o600));
      source.prepare('VACUUM INTO ?').run(to);
    } finally {
      source.close();
    }
  });
}
