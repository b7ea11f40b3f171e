import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { columnsOf } from '../../packages/server/src/db/testing/whole-database.ts';
import { coffer, cofferPrints, killCoffer } from '../run/coffer.ts';
import { differences, digest, type Columns, type DatabaseDigest } from './database-digest.ts';

/** Longer than a complete restore, so that some kills come too late. */
const spread = 1.6;

/** With this many kills, some must come before the end of the restore and some after it. */
const leastForBoth = 10;

/** A backup, and the database that it replaces. */
interface Exchange {
  readonly folder: string;
  readonly backup: string;
  /** It is copied and never changed. */
  readonly old: string;
}

/** The results of killed restores. */
export interface KilledRestores {
  /** The number of kills that left the old database, and the number that left the new one. */
  readonly old: number;
  readonly new: number;
  readonly problems: readonly string[];
}

/** Kills restores that replace a database, each a little later than the one before. */
export async function killRestores(exchange: Exchange, kills: number): Promise<KilledRestores> {
  // Every restore generates a new identity.
  const all = Object.entries(columnsOf(exchange.old));
  const columns = Object.fromEntries(all.filter(([table]) => table !== 'database_identity'));
  const digests = { old: digest(exchange.old, columns), new: digest(exchange.backup, columns) };
  const found = { old: 0, new: 0 };
  const problems: string[] = [];
  const wholeMs = await wholeRestore(exchange);
  for (let kill = 1; kill <= kills; kill += 1) {
    const { path, place } = placeOf(exchange);
    await killCoffer(argumentsOf(exchange, path), (wholeMs * spread * kill) / kills);
    const is = stateOf(path, columns, digests);
    const wrong = is === 'neither' ? ['neither the old database nor the new one exists'] : [];
    if (is !== 'neither') found[is] += 1;
    if (is === 'new') wrong.push(...asideProblems(place, columns, digests.old));
    const isDrawn = ![exchange.old, exchange.backup].map(identityOf).includes(identityOf(path));
    if (isDrawn !== (is === 'new')) wrong.push('the identity does not match the database');
    wrong.push(...(await goOn(exchange, path, columns, digests.new)));
    problems.push(...wrong.map((problem) => `killed restore ${kill} of ${kills}: ${problem}`));
    rmSync(place, { recursive: true });
  }
  if (kills >= leastForBoth && (found.old === 0 || found.new === 0))
    problems.push('all kills came too early, or all too late');
  return { ...found, problems };
}

function placeOf({ folder, old }: Exchange): { place: string; path: string } {
  const place = join(folder, 'killed');
  mkdirSync(place);
  const path = join(place, 'coffer.db');
  copyFileSync(old, path);
  return { place, path };
}

function argumentsOf({ backup }: Exchange, path: string): string[] {
  return ['restore', backup, '--replace', '--database', `sqlite:${path}`];
}

/** Returns the duration of an undisturbed restore. */
async function wholeRestore(exchange: Exchange): Promise<number> {
  const { path, place } = placeOf(exchange);
  const startedAtMs = performance.now();
  await cofferPrints(...argumentsOf(exchange, path));
  const elapsedMs = performance.now() - startedAtMs;
  rmSync(place, { recursive: true });
  return elapsedMs;
}

function stateOf(
  path: string,
  columns: Columns,
  digests: Readonly<Record<'old' | 'new', DatabaseDigest>>,
): 'old' | 'new' | 'neither' {
  const found = digest(path, columns);
  if (differences(digests.old, found).length === 0) return 'old';
  return differences(digests.new, found).length === 0 ? 'new' : 'neither';
}

/** The replaced database must exist under its new name, and only under that. */
function asideProblems(place: string, columns: Columns, old: DatabaseDigest): string[] {
  const [aside] = readdirSync(place).filter((name) => name.startsWith('coffer.db.replaced-'));
  if (aside === undefined) return ['the old database is missing'];
  if (statSync(join(place, aside)).nlink !== 1) return ['the old database has two names'];
  return differences(old, digest(join(place, aside), columns));
}

/** The same command must succeed when it is repeated. */
async function goOn(
  exchange: Exchange,
  path: string,
  columns: Columns,
  expected: DatabaseDigest,
): Promise<string[]> {
  const { code, stderr } = await coffer(...argumentsOf(exchange, path));
  if (code !== 0) return [`the next restore ended with ${code}: ${stderr}`];
  return differences(expected, digest(path, columns));
}

/** Returns the random id of a database, which a restore replaces. */
function identityOf(path: string): string | undefined {
  const database = new Database(path, { readonly: true });
  try {
    const identity = "SELECT value FROM database_identity WHERE name = 'id'";
    return database.prepare<[], string>(identity).pluck().get();
  } finally {
    database.close();
  }
}
