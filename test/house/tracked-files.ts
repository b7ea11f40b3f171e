import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export interface TextFile {
  path: string;
  text: string;
}

const TEXT =
  /\.(cjs|css|html|js|json|md|mjs|sh|sql|ts|tsx|txt|ya?ml)$|(^|\/)[^./]+$|(^|\/)\.[^./]+$/;
/** Files that are generated or copied unchanged. */
const FOREIGN = /(^|\/)(package-lock\.json|LICENSE)$/;

/** Returns every text file of the tree that is tracked or not ignored; none when this is not a git clone. */
export function readTextFiles(): TextFile[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const git = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8', timeout: 30_000 });
  if (git.error !== undefined) return [];
  return git.stdout
    .split('\0')
    .filter((path) => TEXT.test(path) && !FOREIGN.test(path) && existsSync(join(ROOT, path)))
    .map((path) => ({ path, text: textOf(path) }));
}
