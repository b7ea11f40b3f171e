import { Type } from 'typebox';
import { dateTime, flag, nullable, object, text } from '../../operations/schema.ts';
import { lastBackups } from './backup-job.ts';
import { read, type Operation } from '../../operations/operation.ts';
import { ok } from '../../operations/responses.ts';

const BackupState = object(
  'BackupState',
  'The backups that the server makes.',
  {
    every_seconds: nullable(
      Type.Integer({ description: 'The time between two backups; null if the server makes none.' }),
    ),
    last_success_at: nullable(
      dateTime('When the last complete backup began; null if there is none.'),
    ),
    last_success_bytes: nullable(
      Type.Integer({ description: 'Its size, without attached files.' }),
    ),
    last_failure_at: nullable(
      dateTime('When the last one began that failed, or that lacks attached files; null for none.'),
    ),
    is_failing: flag('Whether it failed after, or with, the last success.'),
  },
  {
    example: {
      every_seconds: 86_400,
      last_success_at: '2026-03-15T03:17:00.000Z',
      last_success_bytes: 11_300_000,
      last_failure_at: null,
      is_failing: false,
    },
  },
);

const host = (what: string) =>
  nullable(text(`Host from which ${what} are read; null if they are not.`));

const Sources = object(
  'Sources',
  'What the server reads without a request, as its operator has set it.',
  { rates: host('exchange rates'), prices: host('prices of crypto') },
  { example: { rates: 'www.ecb.europa.eu', prices: 'api.coingecko.com' } },
);

/** Returns the operations that show what the operator has set up, for a user who is signed in. */
export function backupRoutes({
  backupEveryMs,
  sources,
}: {
  readonly backupEveryMs: number | null;
  readonly sources: Readonly<Record<'rates' | 'prices', string | null>>;
}): readonly Operation[] {
  return [
    read(
      {
        tag: 'backups',
        needsSession: true,
        path: '/coffer/backups',
        id: 'getBackupState',
        summary: 'Get the state of backups',
        description: 'Of the whole service. The log of the server has the reason of a failure.',
        response: ok(BackupState, 'The state.'),
      },
      function* () {
        const { succeeded, failed } = yield* lastBackups();
        return {
          every_seconds: backupEveryMs === null ? null : backupEveryMs / 1000,
          last_success_at: succeeded?.at ?? null,
          last_success_bytes: succeeded?.bytes ?? null,
          last_failure_at: failed?.at ?? null,
          is_failing: failed !== null && failed.at >= (succeeded?.at ?? ''),
        };
      },
      { isVolatile: true },
    ),
    read(
      {
        tag: 'backups',
        needsSession: true,
        path: '/coffer/sources',
        id: 'getSources',
        summary: 'Get the sources of rates and prices',
        response: ok(Sources, 'The sources.'),
      },
      () => Promise.resolve(sources),
      { isVolatile: true, inParts: true },
    ),
  ];
}
