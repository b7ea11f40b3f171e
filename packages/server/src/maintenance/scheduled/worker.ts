import { parentPort, workerData } from 'node:worker_threads';
import type { AttachedFile } from '../../db/attached-files.ts';
import { openFiles } from '../../files/open.ts';
import type { FilesLocation } from '../../files/store.ts';
import { backUpWhole, filesInDatabase } from '../backup-files.ts';

/** A backup of a database file to make. It can be sent to another thread. */
export interface BackupTask {
  readonly database: string;
  readonly backup: string;
  /** Where attached files are that are copied, null for the folder of the database; absent to copy none. */
  readonly files?: FilesLocation | null;
}

/** What the thread reports. `files` are those that the backup should have. */
export type BackupMessage =
  | { readonly bytes: number; readonly files: readonly AttachedFile[]; readonly lost: number }
  | { readonly error: Error };

async function make({ database, backup, files: location }: BackupTask): Promise<BackupMessage> {
  const opened = location === undefined ? null : await openFiles(location, database);
  const { bytes, files } = await backUpWhole(database, backup, opened?.store ?? null);
  return { bytes, files: filesInDatabase(backup), lost: files?.faults.size ?? 0 };
}

if (parentPort !== null) {
  const message = await make(workerData as BackupTask).catch((error: unknown) => ({
    error: error as Error,
  }));
  parentPort.postMessage(message);
}
