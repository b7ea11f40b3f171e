import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Check } from './check.ts';

/** The commands that a check needs and this machine lacks. */
export function commandsMissing({ needs = [] }: Check): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return needs.filter((command) => !folders.some((folder) => existsSync(join(folder, command))));
}
