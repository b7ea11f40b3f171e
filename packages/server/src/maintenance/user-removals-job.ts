import type { Job } from '../book/job.ts';
import type { FileStore } from '../files/store.ts';
import { removeAbandoned } from './user-removal.ts';

/** The job that finishes removals that were interrupted, and removes what imports of books left that were killed. */
export function removalsJob(files: FileStore): Job {
  return {
    name: 'removals',
    everyMs: 60_000,
    run: async (engine, _nowMs, signal) => {
      await removeAbandoned(engine, { files, signal });
    },
  };
}
