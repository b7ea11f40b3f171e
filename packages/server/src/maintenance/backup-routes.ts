import { lastBackups } from '../db/tables/backup-results.ts';
import { read } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import { ok } from '../operations/responses.ts';
import { BackupState } from './backup-schema.ts';

/** Returns the operation that shows the state of scheduled backups, for a user who is signed in. */
export function backupRoutes({
  backupEveryMs,
}: {
  readonly backupEveryMs: number | null;
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
  ];
}
