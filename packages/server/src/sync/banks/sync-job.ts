import { hasToWait, instantOf } from '@coffer/core/dates';
import type { BankReader } from './bank-reader.ts';
import type { Job } from '../../book/job.ts';
import type { Engine } from '../../db/engine.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import { dueConnections, finishRequests } from './actions.ts';
import { synchronise } from './synchronise.ts';

/** Receives what happened to the connections. A Fastify logger has this form. */
export interface SyncLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** The parts of the job. */
export interface SyncJobOptions {
  readonly reader: BankReader;
  readonly log: SyncLog;
}

/** Bridges allow about one reading an hour. */
const readEveryMs = 6 * 3_600_000;
const lookEveryMs = 60_000;
/** After a failure, unless the user requests a reading. */
const retryAfterMs = 3_600_000;

/** Returns the job that reads connections: those that were requested, and each one every six hours. */
export function syncJob({ reader, log }: SyncJobOptions): Job {
  const failedAtMs = new Map<string, number>();
  return {
    name: 'sync',
    everyMs: lookEveryMs,
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
