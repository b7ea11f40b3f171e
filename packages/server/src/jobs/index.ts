import { idempotencyPruning } from '../changes/idempotency.ts';
import type { Job } from './job.ts';
import { ratesJob } from './rates/rates-job.ts';

/** The settings that decide which jobs a server has. */
export interface JobSettings {
  /** Where to read exchange rates; null for no job. */
  readonly ratesUrl: string | null;
}

/** Returns the jobs of a server. */
export function jobsOf({ ratesUrl }: JobSettings): readonly Job[] {
  return [...(ratesUrl === null ? [] : [ratesJob(ratesUrl)]), idempotencyPruning];
}
