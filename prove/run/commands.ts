import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Check } from './check.ts';
import { postgresPrograms } from '../../packages/server/src/db/testing/postgres-server.ts';
import { faketimeLibrary } from '../../packages/server/src/limiter/testing/faketime.ts';

/** Returns the commands that a check needs and this machine lacks. */
export function commandsMissing({ needs = [] }: Check): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return needs.filter((need) => {
    if (need === 'libfaketime') return faketimeLibrary() === undefined;
    if (need === 'postgres') return postgresPrograms() === null;
    return !folders.some((folder) => existsSync(join(folder, need)));
  });
}
