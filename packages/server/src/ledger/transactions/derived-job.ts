import type { Job } from '../../book/job.ts';
import { fillDerived, outdatedBooks } from '../../db/fill-derived.ts';

/**
 * The job that fills the derived tables of books that lack a change, so that the first search after an update need not,
 * and lists with hidden rows have their counts. A book that lacks one later, while nodes of two releases run, is filled
 * by its next search or by this job.
 *
 * Each book has its own transaction: others are not locked meanwhile.
 */
export const derivedJob: Job = {
  name: 'search',
  everyMs: 60 * 60 * 1000,
  async run(engine, _nowMs, signal) {
    for (const id of await engine.read(() => outdatedBooks())) {
      if (signal.aborted) return;
      await engine.write(() => fillDerived(id));
    }
  },
};
