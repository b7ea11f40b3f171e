import type { Job } from '../../changes/job.ts';
import type { FileStore } from '../../files/store.ts';
import { finishRemovals } from './removal.ts';

/** The job that finishes removals that were interrupted. */
export function removalsJob(files: FileStore): Job {
  return {
    name: 'removals',
    everyMs: 60_000,
    run: async (engine, _nowMs, signal) => {
      await finishRemovals(engine, { files, signal });
    },
  };
}
