import { parentPort, workerData } from 'node:worker_threads';
import type { Engine } from '../../db/engine.ts';
import type { ErrorKind } from '../../operations/errors.ts';
import { Problem } from '../../operations/problem.ts';
import type { ErrorDetail } from '../../operations/problem.ts';
import type { ImportProgress } from '../operations/import-service.ts';
import { perform } from './tasks.ts';
import type { ImportTask } from './tasks.ts';

/** The database of a server, which has the current schema. */
export type WorkerDatabase =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** What a worker reports. */
export type WorkerMessage =
  | { readonly is: 'progress'; readonly progress: ImportProgress }
  | { readonly is: 'failed'; readonly error: Error }
  | { readonly is: 'refused'; readonly kind: ErrorKind; readonly details: readonly ErrorDetail[] }
  | { readonly is: 'done' };

/** The server is busy for seconds at most, other than this worker. */
const busyTimeoutMs = 60_000;
const progressEveryMs = 100;
/** As many as a response has. */
const mostDetails = 100;

async function open(database: WorkerDatabase): Promise<Engine> {
  if (database.engine === 'sqlite') {
    const { openSqlite } = await import('../../db/sqlite/sqlite.ts');
    return openSqlite({ path: database.path, busyTimeoutMs });
  }
  const { openPostgres } = await import('../../db/postgres/postgres.ts');
  return openPostgres({
    url: database.url,
    poolSize: 1,
    maxWaiting: 10,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 0,
    lockTimeoutMs: busyTimeoutMs,
  });
}

/** Performs the task of this thread. */
async function main(port: NonNullable<typeof parentPort>): Promise<void> {
  const { database, task } = workerData as { database: WorkerDatabase; task: ImportTask };
  const post = (message: WorkerMessage): void => port.postMessage(message);
  let postedMs = 0;
  try {
    const engine = await open(database);
    try {
      await perform(engine, task, (progress) => {
        const nowMs = performance.now();
        if (nowMs - postedMs < progressEveryMs) return;
        postedMs = nowMs;
        post({ is: 'progress', progress });
      });
    } finally {
      await engine.close();
    }
    post({ is: 'done' });
  } catch (error) {
    if (error instanceof Problem)
      post({ is: 'refused', kind: error.kind, details: error.details.slice(0, mostDetails) });
    else post({ is: 'failed', error: error as Error });
  }
}

if (parentPort !== null) await main(parentPort);
