import { idempotencyPruning } from '../changes/idempotency.ts';
import { unreferencedFilesJob } from '../resources/attachments/files-job.ts';
import { cryptoPriceJob } from '../resources/crypto-manual/price-job.ts';
import type { Services } from '../resources/services.ts';
import type { Job } from './job.ts';
import { ratesJob } from './rates/rates-job.ts';

/** The settings that decide which jobs a server has. */
export interface JobSettings {
  /** Where to read exchange rates; null for no job. */
  readonly ratesUrl: string | null;
}

/** Returns the jobs of a server. */
export function jobsOf(
  { ratesUrl }: JobSettings,
  { assetSource, files }: Pick<Services, 'assetSource' | 'files'>,
): readonly Job[] {
  return [
    ...(ratesUrl === null ? [] : [ratesJob(ratesUrl)]),
    cryptoPriceJob(assetSource),
    unreferencedFilesJob(files),
    idempotencyPruning,
  ];
}
