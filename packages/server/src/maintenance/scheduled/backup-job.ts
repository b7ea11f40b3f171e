import { clockSkewMs } from '@coffer/core/dates';
import { insertUnlogged, deleteUnlogged } from '../../book/unlogged.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { backupResults } from '../../db/tables/tables.ts';
import type { Job, Log } from '../../jobs/scheduler.ts';
import type { BackupPlace } from './place.ts';

/** How often backups are made, and which are kept. */
export interface BackupSchedule {
  readonly everyMs: number;
  /** The newest so many are kept, at least one. */
  readonly keep: number;
  /** Older ones are removed, except the newest; null to keep them. */
  readonly keepMs: number | null;
}

/**
 * Returns the job that makes a backup, notes it in the database, and then removes those that are not kept. Of several
 * nodes one makes it.
 *
 * A backup whose attached files are lost is noted as a success and as a failure. If old ones cannot be removed, that is
 * logged: the new one is there.
 */
export function backupJob(
  backups: BackupPlace,
  schedule: BackupSchedule,
  log: Pick<Log, 'info' | 'error'>,
): Job {
  return {
    name: 'backup',
    everyMs: schedule.everyMs,
    async run(engine, nowMs, signal) {
      const name = backups.nameOf(new Date(nowMs));
      const at = new Date(nowMs).toISOString();
      const note = (result: Row<typeof backupResults>) => engine.write(() => replace(result));
      const failed = (message: string) =>
        note({ outcome: 'failed', at, name, bytes: null, message });
      try {
        const made = await backups.make(engine, name, signal);
        const { bytes, lost, attached, hasFiles } = made;
        await note({ outcome: 'succeeded', at, name, bytes, message: null });
        const files = hasFiles ? { files: attached } : { files_elsewhere: attached };
        log.info({ backup: name, bytes, ...files }, 'A backup was made');
        if (lost > 0) {
          const message = `${lost} attached files are lost, and not in the backup`;
          await failed(message);
          log.error({ backup: name, lost }, `${message}: run the doctor`);
        }
      } catch (error) {
        // A server that stops is no failure. The database may be what failed.
        if (!signal.aborted) await failed((error as Error).message).catch(() => undefined);
        throw error;
      }
      await removeOld(backups, name, schedule, nowMs).catch((error: unknown) =>
        log.error({ err: error }, 'Old backups were not removed'),
      );
    },
  };
}

function* replace(result: Row<typeof backupResults>) {
  yield* deleteUnlogged(backupResults, { outcome: result.outcome });
  yield* insertUnlogged(backupResults, result);
}

async function removeOld(
  backups: BackupPlace,
  newest: string,
  schedule: BackupSchedule,
  nowMs: number,
): Promise<void> {
  const others = (await backups.names()).filter((name) => name !== newest);
  for (const name of expired(others, schedule, nowMs)) await backups.remove(name);
  await backups.sweep();
}

/**
 * Returns which backups besides the newest one are not kept. A name ends in the time of its backup. One of the future
 * was made before the clock went back: it is the first to go.
 */
export function expired(
  others: readonly string[],
  { keep, keepMs }: Pick<BackupSchedule, 'keep' | 'keepMs'>,
  nowMs: number,
): string[] {
  const madeBy = (name: string): number => {
    const atMs = timeIn(name);
    return atMs > nowMs + clockSkewMs ? 0 : atMs;
  };
  const sorted = others.toSorted((a, b) => madeBy(b) - madeBy(a));
  const isOld = (name: string): boolean => keepMs !== null && nowMs - timeIn(name) > keepMs;
  return sorted.filter((name, place) => place >= keep - 1 || isOld(name));
}

function timeIn(name: string): number {
  const time = /(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)\.\w+$/.exec(name) ?? [];
  const [, year, month, hour, minute, second] = time;
  return Date.parse(`${year}-${month}-${hour}:${minute}:${second}`);
}

/** The last scheduled backup that succeeded, and the last that failed; null for none. */
export interface LastBackups {
  readonly succeeded: Row<typeof backupResults> | null;
  readonly failed: Row<typeof backupResults> | null;
}

/** Reads the last backups by one statement. */
export function* lastBackups(): Steps<LastBackups> {
  const results = yield* select(backupResults, {});
  const find = (outcome: string) => results.find((each) => each.outcome === outcome) ?? null;
  return { succeeded: find('succeeded'), failed: find('failed') };
}
