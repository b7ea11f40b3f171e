import { Worker } from 'node:worker_threads';
import { Problem } from '../../operations/problem.ts';
import type { Perform } from './background.ts';
import type { WorkerDatabase, WorkerMessage } from './worker.ts';

/** A file that needs more ends its worker, and not the server. */
const mostMegabytes = 600;

/** The bundle has all its files in one folder. */
const entry = import.meta.url.endsWith('.ts') ? './worker.ts' : './import-worker.js';

/**
 * Returns a function that performs a task in a new thread with its own connection to the database, so that this thread
 * serves requests meanwhile. An abort ends the thread: a transaction that was not committed is rolled back.
 */
export function inWorker(database: WorkerDatabase): Perform {
  return (_engine, task, onProgress, signal) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL(entry, import.meta.url), {
        workerData: { database, task },
        resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
        // Flags of the process, such as those of tests, are not for the worker.
        execArgv: [],
      });
      let failure: Error | null = null;
      let isDone = false;
      const end = (): void => void worker.terminate();
      signal.addEventListener('abort', end, { once: true });
      worker.on('message', (message: WorkerMessage) => {
        if (message.is === 'progress') onProgress(message.progress);
        else if (message.is === 'failed') failure = message.error;
        else if (message.is === 'refused')
          failure = new Problem(message.kind, { details: message.details });
        else isDone = true;
      });
      worker.on('error', (error) => {
        failure = error as Error;
      });
      worker.on('exit', () => {
        signal.removeEventListener('abort', end);
        if (isDone) resolve();
        else reject(failure ?? new Error('The worker ended too early'));
      });
    });
}
