import { backupJob } from './backups/backup-job.ts';
import type { BackupLog, Backups, BackupSchedule } from './backups/backup-job.ts';
import { idempotencyPruning } from '../changes/idempotency.ts';
import { historyPruning } from '../changes/retention.ts';
import { contentsJob } from '../resources/attachments/contents-job.ts';
import type { FilesLog } from '../resources/attachments/contents-job.ts';
import type { PrivateTargets } from '../connectors/guarded-request.ts';
import { noAssetSource } from '../connectors/prices/asset-source.ts';
import { unreferencedFilesJob } from '../resources/attachments/files-job.ts';
import { cryptoPriceJob } from '../resources/crypto-manual/price-job.ts';
import { monthEndsJob } from '../resources/balance-history/month-ends-job.ts';
import { syncJob } from '../resources/connections/sync-job.ts';
import type { SyncLog } from '../resources/connections/sync-job.ts';
import { expiredPreviewsJob } from '../resources/imports/previews-job.ts';
import { suggestionsJob } from '../resources/recurring/suggestions-job.ts';
import type { Services } from '../resources/services.ts';
import { sessionsJob } from '../resources/sessions/sessions-job.ts';
import { removalsJob } from '../resources/users/removals-job.ts';
import { derivedJob } from '../resources/transactions/derived-job.ts';
import type { Job } from '../changes/job.ts';
import { ratesJob } from './rates/rates-job.ts';
import { storedTimesJob } from './stored-times-job.ts';

/** The settings that decide which jobs a server has. */
export interface JobSettings {
  /** Where to read exchange rates; null for no job. */
  readonly ratesUrl: string | null;
  /** Private networks that the name of the rates may lead to; none by default. */
  readonly privateTargets?: PrivateTargets;
  /** For how many days the change log is kept; null for ever. */
  readonly historyDays: number | null;
  /** When to make backups; absent or null for none. */
  readonly backups?: BackupSchedule | null;
}

/** Returns the jobs of a server. */
export function jobsOf(
  { ratesUrl, privateTargets, historyDays, backups: schedule = null }: JobSettings,
  {
    assetSource,
    bankReader: reader,
    files,
  }: Pick<Services, 'assetSource' | 'bankReader' | 'files'>,
  log: SyncLog & FilesLog & BackupLog,
  backups: Backups | null = null,
): readonly Job[] {
  return [
    ...(ratesUrl === null ? [] : [ratesJob(ratesUrl, privateTargets)]),
    syncJob({ reader, log }),
    ...(assetSource === noAssetSource ? [] : [cryptoPriceJob(assetSource)]),
    monthEndsJob,
    suggestionsJob,
    unreferencedFilesJob(files),
    removalsJob(files),
    contentsJob(files, log),
    expiredPreviewsJob,
    idempotencyPruning,
    sessionsJob,
    storedTimesJob,
    derivedJob,
    ...(schedule === null || backups === null ? [] : [backupJob(backups, schedule, log)]),
    ...(historyDays === null ? [] : [historyPruning(historyDays)]),
  ];
}
