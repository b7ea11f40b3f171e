import { Type } from 'typebox';
import type { Static } from 'typebox';
import { dateTime, flag, nullable, object } from '../operations/schema.ts';

export const BackupState = object(
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
export type BackupState = Static<typeof BackupState>;
