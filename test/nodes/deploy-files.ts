import assert from 'node:assert/strict';
import { join } from 'node:path';
import { settings } from '../../packages/server/src/settings.ts';
import { ROOT, textOf as textOfFile } from '../house/tracked-files.ts';

export const deployFolder = join(ROOT, 'deploy');

export function textOf(name: string): string {
  return textOfFile(`deploy/${name}`);
}

/** A server that gets SIGTERM stops by force after this time, in addition to its stop delay. */
export const patienceMs = 8000;

/** Milliseconds of a time such as `20s`. */
export function msOf(time: string): number {
  const [, digits, unit] = /^(\d+)(ms|s)$/.exec(time) ?? assert.fail(`"${time}" is not a time`);
  return Number(digits) * (unit === 's' ? 1000 : 1);
}

export function settingsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  ) as Record<string, string>;
}

export function unknownSettings(found: Readonly<Record<string, string>>): string[] {
  const known: readonly string[] = Object.values(settings).map(({ variable }) => variable);
  return Object.keys(found).filter((name) => !known.includes(name));
}
