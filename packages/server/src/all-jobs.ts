import { backupJob } from './maintenance/backup-job.ts';
import type { BackupLog, Backups, BackupSchedule } from './maintenance/backup-job.ts';
import { idempotencyPruning } from './book/idempotency.ts';
import { historyPruning } from './book/retention.ts';
import { contentsJob } from './ledger/transactions/attachments/contents-job.ts';
import type { FilesLog } from './ledger/transactions/attachments/contents-job.ts';
import type { PrivateTargets } from './outside/guarded-request.ts';
import { noAssetSource } from './sync/prices/asset-source.ts';
import { unreferencedFilesJob } from './ledger/transactions/attachments/files-job.ts';
import { cryptoPriceJob } from './sync/crypto-manual/price-job.ts';
import { monthEndsJob } from './ledger/balance-history/month-ends-job.ts';
import { syncJob } from './sync/banks/sync-job.ts';
import type { SyncLog } from './sync/banks/sync-job.ts';
import { expiredPreviewsJob } from './imports/operations/previews-job.ts';
import { suggestionsJob } from './ledger/recurring/suggestions-job.ts';
import type { Services } from './services.ts';
import { sessionsJob } from './identity/sessions/sessions-job.ts';
import { removalsJob } from './maintenance/user-removals-job.ts';
import { derivedJob } from './ledger/transactions/derived-job.ts';
import type { Job } from './book/job.ts';
import { ratesJob } from './ledger/rates-job.ts';
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
