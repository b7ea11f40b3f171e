import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { bookJobs, type JobSettings } from './all-jobs.ts';
import { bookSize, errorOf, mostInPlace } from './operations/threads.ts';
import type { Job } from './jobs/scheduler.ts';
import type { ServerTask, ThreadData } from './worker.ts';
import { WorkerPool, type PoolOptions } from './workers/pool.ts';

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

/** What threads do without a request. */
interface ThreadJobs {
  /** Parts of jobs, which threads do for all books. */
  readonly whole: Required<Pick<JobSettings, 'storeRatesFile' | 'removeAbandoned'>>;
  /** Returns the same job; what it does for a large book is done by a thread. */
  of(job: Job): Job;
  readonly checkpoint: () => Promise<void>;
}

/** Lets threads do the long work of jobs. `onWritten` is called when one may have written. */
export function jobsIn(pool: WorkerPool, onWritten: () => void): ThreadJobs {
  const run = async (task: ServerTask, bookId = 0, signal?: AbortSignal): Promise<void> => {
    await pool.run(task, { bookId, isWriting: false, ...(signal && { signal }) });
    onWritten();
  };
  return {
    of(job) {
      const known = bookJobs.find(({ name }) => name === job.name);
      if (known === undefined) return job;
      const { name, ofBook } = known;
      return known.by(async (engine, bookId, nowMs, signal) => {
        const size = await engine.readStatement(() => bookSize(bookId, mostInPlace + 1));
        if (size <= mostInPlace) await ofBook(engine, bookId, nowMs, signal);
        else await run({ is: 'job', name, bookId, nowMs }, bookId, signal);
      });
    },
    whole: {
      storeRatesFile: (_engine, file, signal) => run({ is: 'rates', file }, 0, signal),
      removeAbandoned: (_engine, { signal }) => run({ is: 'removals' }, 0, signal),
    },
    checkpoint: () => run({ is: 'checkpoint' }),
  };
}
