import type { Job } from '../../changes/job.ts';
import { removeAbandonedBooks } from './actions.ts';

const everyMs = 3_600_000;

/** The job that removes what imports of books left that were killed. */
export const abandonedBooksJob: Job = {
  name: 'abandoned imports of books',
  everyMs,
  run: (engine, _nowMs, signal) => removeAbandonedBooks(engine, signal),
};
