import { idempotencyPruning } from '../changes/idempotency.ts';
import { historyPruning } from '../changes/retention.ts';
import { unreferencedFilesJob } from '../resources/attachments/files-job.ts';
import { cryptoPriceJob } from '../resources/crypto-manual/price-job.ts';
import { monthEndsJob } from '../resources/balance-history/month-ends-job.ts';
import { syncJob } from '../resources/connections/sync-job.ts';
import type { SyncLog } from '../resources/connections/sync-job.ts';
import { expiredPreviewsJob } from '../resources/imports/previews-job.ts';
import { suggestionsJob } from '../resources/recurring/suggestions-job.ts';
import type { Services } from '../resources/services.ts';
import { sessionsJob } from '../resources/sessions/sessions-job.ts';
import { abandonedBooksJob } from '../resources/users/abandoned-books-job.ts';
import { derivedJob } from '../resources/transactions/derived-job.ts';
import type { Job } from '../changes/job.ts';
import { ratesJob } from './rates/rates-job.ts';

/** The settings that decide which jobs a server has. */
export interface JobSettings {
  /** Where to read exchange rates; null for no job. */
  readonly ratesUrl: string | null;
  /** For how many days the change log is kept; null for ever. */
  readonly historyDays: number | null;
}

/** Returns the jobs of a server. */
export function jobsOf(
  { ratesUrl, historyDays }: JobSettings,
  {
    assetSource,
    bankReader: reader,
    files,
  }: Pick<Services, 'assetSource' | 'bankReader' | 'files'>,
  log: SyncLog,
): readonly Job[] {
  return [
    ...(ratesUrl === null ? [] : [ratesJob(ratesUrl)]),
    syncJob({ reader, log }),
    cryptoPriceJob(assetSource),
    monthEndsJob,
    suggestionsJob,
    unreferencedFilesJob(files),
    expiredPreviewsJob,
    abandonedBooksJob,
    idempotencyPruning,
    sessionsJob,
    derivedJob,
    ...(historyDays === null ? [] : [historyPruning(historyDays)]),
  ];
}
