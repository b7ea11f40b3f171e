import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Check } from './check.ts';
import { faketimeLibrary } from './faketime.ts';

/** The commands that a check needs and this machine lacks; `libfaketime` is a library and found as one. */
export function commandsMissing({ needs = [] }: Check): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return needs.filter((need) => {
    if (need === 'libfaketime') return faketimeLibrary() === undefined;
    return !folders.some((folder) => existsSync(join(folder, need)));
  });
}
