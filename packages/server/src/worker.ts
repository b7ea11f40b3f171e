import { parentPort, workerData } from 'node:worker_threads';
import { operations } from './all.ts';
import { bookJobs } from './all-jobs.ts';
import type { DatabaseConfig } from './config.ts';
import { openForThread } from './database.ts';
import { withOwn, type Engine } from './db/engine.ts';
import { openFiles } from './files/open.ts';
import type { FilesLocation } from './files/store.ts';
import { perform as performImport, performNow } from './imports/previews/service.ts';
import type { ImportRequest, ImportTask } from './imports/previews/service.ts';
import { storeRatesFile } from './ledger/rerate.ts';
import { removeAbandoned } from './maintenance/user-removal.ts';
import { performTask, plainError, type OperationTask } from './operations/threads.ts';
import { RememberedKeys } from './pages/remembered-keys.ts';
import { noServices } from './services.ts';
import { cancellable, serveTasks, type Performed, type RunningTask } from './workers/thread.ts';

/** What a thread of the server opens. */
export interface ThreadData {
  readonly database: DatabaseConfig;
  readonly files: FilesLocation | null;
}

/** A task of a thread. */
export type ServerTask =
  | OperationTask
  | { readonly is: 'import'; readonly task: ImportTask }
  | { readonly is: 'import now'; readonly work: ImportRequest }
  | { readonly is: 'job'; readonly name: string; readonly bookId: number; readonly nowMs: number }
  | { readonly is: 'rates'; readonly file: Uint8Array }
  | { readonly is: 'removals' }
  | { readonly is: 'checkpoint' };

const rememberedKeys = 5000;
const progressEveryMs = 100;
/** How long a request waits for those that write. */
const requestWaitMs = 30_000;

async function main(port: NonNullable<typeof parentPort>): Promise<void> {
  const { database, files: location } = workerData as ThreadData;
  const engine = await openForThread(database);
  const path = database.engine === 'sqlite' ? database.path : null;
  const files = await openFiles(location, path);
  const all = operations({ ...noServices, files: files.store });
  const byId = new Map(all.map((each) => [each.declaration.id, each]));
  const pageKeys = new RememberedKeys(rememberedKeys);
  const perform = async (task: ServerTask, running: RunningTask): Promise<Performed> => {
    const own = cancellable(engine, running);
    const patient = waiting(own, requestWaitMs);
    if (task.is === 'operation')
      return performTask(byId.get(task.id)!, patient, { ...task.request, pageKeys });
    if (task.is === 'import now') return { value: await performNow(patient, task.work) };
    if (task.is === 'import') await performImport(own, task.task, rarely(running.onProgress));
    else if (task.is === 'checkpoint') await checkpoint(path!);
    else if (task.is === 'removals') await removeAbandoned(own, { files: files.store, signal });
    else await performOther(own, task);
    return { value: null };
  };
  serveTasks(port, {
    perform: (task, running) => perform(task as ServerTask, running),
    plainError,
    ...(engine.interrupt && { interrupt: () => engine.interrupt!() }),
    close: async () => {
      await engine.close();
      await files.close();
    },
  });
}

/** Returns an engine whose writes wait for others so long by default. */
function waiting(engine: Engine, waitMs: number): Engine {
  return withOwn(engine, {
    write: (steps, options) => engine.write(steps, { waitMs, ...options }),
  });
}

async function checkpoint(path: string): Promise<void> {
  const { checkpointFile } = await import('./db/sqlite/sqlite.ts');
  await checkpointFile(path);
}

/** The engine of a task throws when the task is cancelled. */
const { signal } = new AbortController();

async function performOther(
  engine: Engine,
  task: Extract<ServerTask, { is: 'rates' | 'job' }>,
): Promise<void> {
  if (task.is === 'rates') await storeRatesFile(engine, task.file, signal);
  else {
    const { name, bookId, nowMs } = task;
    await bookJobs.find((job) => job.name === name)!.ofBook(engine, bookId, nowMs, signal);
  }
}

/** Returns a function that passes on what it gets ten times a second at most. */
function rarely<T>(report: (progress: T) => void): (progress: T) => void {
  let reportedMs = 0;
  return (progress) => {
    const nowMs = performance.now();
    if (nowMs - reportedMs < progressEveryMs) return;
    reportedMs = nowMs;
    report(progress);
  };
}

if (parentPort !== null) await main(parentPort);
