import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';

const ROOT = join(import.meta.dirname, '..');
/** npm takes a minute; the process that waits for another may have to do it itself afterwards. */
const longestWaitMs = 300_000;

/** Fails at once on a machine without a registry. */
const flags = ['--prefer-offline', '--fetch-retries=0', '--loglevel=silent'];

const Database = createRequire(join(ROOT, 'packages/server/package.json'))(
  'better-sqlite3',
) as typeof BetterSqlite3;
const { npmCi } = createRequire(import.meta.url)('./npm-ci.cjs') as {
  readonly npmCi: (folder: string, flags: readonly string[]) => string | null;
};

/**
 * Installs the packages of a folder with a lock file of its own, unless they are there: what few people need, and not
 * for long. Returns `missing: …` if npm cannot get them, otherwise false.
 *
 * One process installs at a time. The lock is SQLite's, which ends with the process that holds it.
 */
export function installOnDemand(folder: string): string | false {
  const known = answers.get(folder) ?? installLocked(folder);
  answers.set(folder, known);
  return known;
}

const answers = new Map<string, string | false>();

function installLocked(folder: string): string | false {
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const lock = new Database(join(cache, 'on-demand.db'), { timeout: longestWaitMs });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return installUnlessThere(folder);
  } finally {
    lock.close();
  }
}

function installUnlessThere(folder: string): string | false {
  const mark = join(folder, 'node_modules/.installed');
  const locked = readFileSync(join(folder, 'package-lock.json'));
  const hash = createHash('sha256').update(locked).digest('hex');
  if (readOrNull(mark) === hash) return false;
  console.error(`Installing the packages of ${basename(folder)} …`);
  if (npmCi(folder, flags) !== null) return `missing: the packages of ${basename(folder)}`;
  writeFileSync(mark, hash);
  return false;
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
