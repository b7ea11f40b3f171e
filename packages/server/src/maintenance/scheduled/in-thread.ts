import { Worker } from 'node:worker_threads';
import type { BackupMessage, BackupTask } from './worker.ts';

/** A backup that a thread made. */
export type MadeInThread = Exclude<BackupMessage, { readonly error: Error }>;

/** The bundle has all its files in one folder. */
const entry = import.meta.url.endsWith('.ts') ? './worker.ts' : './backup-worker.js';

/**
 * Makes a backup in a new thread with its own connection, so that this thread serves requests meanwhile. An abort ends
 * the thread, and can leave a temporary file.
 */
export async function backUpInThread(task: BackupTask, signal: AbortSignal): Promise<MadeInThread> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // Flags of the process, such as those of tests, are not for the worker.
    const worker = new Worker(new URL(entry, import.meta.url), { workerData: task, execArgv: [] });
    let failure = new Error('The thread that makes the backup ended too early');
    let made: MadeInThread | null = null;
    const end = (): void => void worker.terminate();
    signal.addEventListener('abort', end, { once: true });
    worker.on('message', (message: BackupMessage) => {
      if ('error' in message) failure = message.error;
      else made = message;
    });
    worker.on('error', (error) => {
      failure = error as Error;
    });
    worker.on('exit', () => {
      signal.removeEventListener('abort', end);
      if (made === null) reject(failure);
      else resolve(made);
    });
  });
}
