import { instantOf, hasToWait } from '@coffer/core/dates';
import { pruneKeys } from './book/idempotency.ts';
import { bookJob, type BookJob, type Job, type Log } from './jobs/scheduler.ts';
import { pruneHistory } from './book/retention.ts';
import { deleteUpTo } from './book/unlogged.ts';
import { blockSize } from './db/blocks.ts';
import type { Steps, Engine } from './db/engine.ts';
import { fillDerived, outdatedBooks } from './db/fill-derived.ts';
import { pausedSince } from './db/live-sessions.ts';
import { passkeyChallenges, sessions, signInFailures, signInLinks } from './db/tables/tables.ts';
import { expiredPreviewsJob } from './imports/operations/expiry.ts';
import { monthEndsJob } from './ledger/balance-history/month-ends-job.ts';
import { ratesJob, type StoreRatesFile } from './ledger/rerate.ts';
import { suggestionsJob } from './ledger/recurring/suggestions-job.ts';
import { contentsJob, removeUnreferencedFiles } from './ledger/transactions/attachments/jobs.ts';
import { backupJob, type BackupSchedule } from './maintenance/scheduled/backup-job.ts';
import { hasRemovals, removeAbandoned } from './maintenance/user-removal.ts';
import type { PrivateTargets } from './outside/guarded-request.ts';
import { CryptoRefreshError } from './outside/provider-error.ts';
import type { Services } from './services.ts';
import { storedTimesJob } from './stored-times-job.ts';
import { dueConnections, finishRequests } from './sync/banks/actions.ts';
import type { BankReader } from './sync/banks/bank-reader.ts';
import { synchronise } from './sync/banks/synchronise.ts';
import { cryptoPriceJob } from './sync/crypto-manual/actions.ts';
import { noAssetSource } from './sync/prices/asset-source.ts';
import type { BackupPlace } from './maintenance/scheduled/place.ts';
import { followAll, unfollowedBooks } from './db/follow-search.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The parts of the job. */
interface SyncJobOptions {
  readonly reader: BankReader;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** Bridges allow about one reading an hour. */
const readEveryMs = 6 * hourMs;
/** After a failure, unless the user requests a reading. */
const retryAfterMs = hourMs;

/** Returns the job that reads connections: those that were requested, and each one every six hours. */
export function syncJob({ reader, log }: SyncJobOptions): Job {
  const failedAtMs = new Map<string, number>();
  return {
    name: 'sync',
    everyMs: minuteMs,
    async run(engine: Engine, nowMs: number, signal: AbortSignal): Promise<void> {
      const before = instantOf(nowMs - readEveryMs);
      const due = await engine.read(() => dueConnections(before, nowMs));
      for (const { connection, range, isRequested } of due) {
        if (signal.aborted) return;
        const place = { book: connection.book_id, connection: connection.id };
        const key = `${place.book}/${place.connection}`;
        const failedAt = failedAtMs.get(key) ?? -Infinity;
        if (!isRequested && hasToWait(failedAt + retryAfterMs, nowMs, retryAfterMs)) continue;
        try {
          const saved = await synchronise({ engine, reader, connection, range, nowMs });
          failedAtMs.delete(key);
          if (saved !== null) log.info({ ...place, ...saved }, 'A connection was read');
        } catch (error) {
          if (!(error instanceof CryptoRefreshError)) throw error;
          failedAtMs.set(key, nowMs);
          const { reason, message } = error;
          log.warn({ ...place, reason, detail: message }, 'A connection could not be read');
        }
      }
      await engine.write(() => finishRequests(nowMs));
    },
  };
}

/**
 * The job that deletes sessions, links and challenges that have expired, and wrong passwords that no longer count. They
 * have no effect before it runs either.
 */
export const sessionsJob: Job = {
  name: 'sessions',
  everyMs: hourMs,
  run: (engine, nowMs) => engine.write(() => deleteExpired(nowMs)),
};

function* deleteExpired(nowMs: number): Steps<void> {
  const at = instantOf(nowMs);
  yield* deleteUpTo(sessions, 'ends_at', at);
  yield* deleteUpTo(sessions, 'seen_at', pausedSince(nowMs));
  yield* deleteUpTo(signInLinks, 'expires_at', at);
  yield* deleteUpTo(passkeyChallenges, 'expires_at', at);
  yield* deleteUpTo(signInFailures, 'forgotten_at', at);
}

/** The settings that decide which jobs a server has. */
export interface JobSettings {
  /** Where to read exchange rates; null for no job. */
  readonly ratesUrl: string | null;
  /** Private networks that the name of the rates may lead to; none by default. */
  readonly privateTargets?: PrivateTargets;
  /** Stores the rates of a file; in this thread by default. */
  readonly storeRatesFile?: StoreRatesFile;
  /** Finishes what removals have left; in this thread by default. */
  readonly removeAbandoned?: typeof removeAbandoned;
  /** For how many days the change log is kept; null for ever. */
  readonly historyDays: number | null;
  /** When to make backups; absent or null for none. */
  readonly backups?: BackupSchedule | null;
}

/** Returns the jobs of a server. */
export function jobsOf(
  {
    ratesUrl,
    privateTargets,
    storeRatesFile,
    removeAbandoned: remove = removeAbandoned,
    historyDays,
    backups: schedule = null,
  }: JobSettings,
  {
    assetSource,
    bankReader: reader,
    files,
  }: Pick<Services, 'assetSource' | 'bankReader' | 'files'>,
  log: Log,
  backups: BackupPlace | null = null,
): readonly Job[] {
  return [
    ...(ratesUrl === null ? [] : [ratesJob(ratesUrl, privateTargets, storeRatesFile)]),
    syncJob({ reader, log }),
    ...(assetSource === noAssetSource ? [] : [cryptoPriceJob(assetSource)]),
    monthEndsJob,
    suggestionsJob,
    {
      name: 'unreferenced files',
      everyMs: 24 * hourMs,
      run: async (engine, nowMs, signal) => {
        await removeUnreferencedFiles(engine, files, { nowMs, signal });
      },
    },
    {
      // Also removes what imports of books left that were killed.
      name: 'removals',
      everyMs: minuteMs,
      run: async (engine, _nowMs, signal) => {
        // Most runs find nothing, so they write nothing.
        if (await engine.read(hasRemovals)) await remove(engine, { files, signal });
      },
    },
    contentsJob(files, log),
    expiredPreviewsJob,
    {
      name: 'idempotency keys',
      everyMs: hourMs,
      run: (engine, _nowMs, signal) => pruneKeys(engine, signal),
    },
    sessionsJob,
    storedTimesJob,
    derivedJob,
    ...(schedule === null || backups === null ? [] : [backupJob(backups, schedule, log)]),
    ...(historyDays === null
      ? []
      : [
          {
            name: 'change log',
            everyMs: hourMs,
            run: (engine: Engine, nowMs: number, signal: AbortSignal) =>
              pruneHistory(engine, instantOf(nowMs - historyDays * 24 * hourMs), signal),
          },
        ]),
  ];
}

/**
 * The job that fills the derived tables of books that lack a change, so that the first search after an update need not,
 * and lists with hidden rows have their counts. A book that lacks one later, while nodes of two releases run, is filled
 * by its next search or by this job.
 *
 * Each book has its own transaction, and a large one several, between which others write. Searches read at most two
 * thousand changed rows that are not in the blocks yet, so it need not run often.
 */
export const derivedJob = bookJob(
  { name: 'search', everyMs: hourMs },
  booksToFill,
  async (engine, id) => {
    await engine.write(() => fillDerived(id));
    await followAll(engine, id);
  },
);

/** The next books whose derived tables, or whose blocks of the search, lack a change. */
function* booksToFill(_nowMs: number, afterId: number): Steps<number[]> {
  const ids = new Set([...(yield* outdatedBooks()), ...(yield* unfollowedBooks())]);
  const after = [...ids].filter((id) => id > afterId);
  return after.toSorted((a, b) => a - b).slice(0, blockSize);
}

/** The jobs whose work grows with each book. */
export const bookJobs: readonly BookJob[] = [monthEndsJob, suggestionsJob, derivedJob];
