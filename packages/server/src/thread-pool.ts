import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { errorOf } from './operations/threads.ts';
import type { ThreadData } from './worker.ts';
import { WorkerPool } from './workers/pool.ts';
import type { PoolOptions } from './workers/pool.ts';

/** The bundle has all its files in one folder. */
const entry = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js';
/** A task that needs more ends its thread, and not the server. */
const mostMegabytes = 600;
/** With two, reads go on while one thread writes. Each takes some 50 MB. */
const mostThreads = Math.max(2, Math.min(4, availableParallelism()));

/** Opens the threads of a server; null for a database in memory, which no other connection can open. */
export function openPool(
  { database, files }: ThreadData,
  options: Partial<PoolOptions> = {},
): WorkerPool | null {
  if (database.engine === 'sqlite' && database.path === ':memory:') return null;
  const spawn = (): Worker =>
    new Worker(new URL(entry, import.meta.url), {
      workerData: { database, files } satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
      // Flags of the process, such as those of tests, are not for the thread.
      execArgv: [],
    });
  return new WorkerPool({ mostThreads, errorOf, spawn, ...options });
}
