import { integer, text, sortedText, oneOf, nullable, sorted, serverTable } from '../table.ts';
import type { Table } from '../table.ts';

/** When each job of the server last started a run that succeeded. */
export const jobRuns = serverTable(
  'job_runs',
  { name: sortedText, ran_at: text },
  { key: ['name'] },
);

/** Exclusive rights for a limited time, such as to refresh an account. `number` grows with every holder. */
export const leases = serverTable(
  'leases',
  { name: sortedText, holder: text, expires_at_ms: integer, number: integer },
  { key: ['name'] },
);

/**
 * The last scheduled backup that succeeded, and the last that failed, by the time at which it began. `bytes` is the
 * size of the one that succeeded, `message` the reason of the other.
 */
export const backupResults = serverTable(
  'backup_results',
  {
    outcome: sorted(oneOf('succeeded', 'failed')),
    at: text,
    name: text,
    bytes: nullable(integer),
    message: nullable(text),
  },
  { key: ['outcome'] },
);

/** The tables of jobs, which a move copies. */
export const jobsTables: readonly Table<'server'>[] = [jobRuns, backupResults];
