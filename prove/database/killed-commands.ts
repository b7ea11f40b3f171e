import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { coffer, cofferPrints, killCoffer } from '../../test/service/coffer.ts';
import { named, timed } from '../run/check.ts';
import { inspect } from '../run/ledger.ts';
import { differences, digest, type Columns, type DatabaseDigest } from './database-digest.ts';

/** With this many kills, some must come before the end of the command and some after it. */
const leastForBoth = 10;

export async function onCopy<T>(
  folder: string,
  database: string,
  work: (copy: string, place: string) => Promise<T>,
): Promise<T> {
  const place = join(folder, 'copied');
  mkdirSync(place);
  const copy = join(place, 'coffer.db');
  copyFileSync(database, copy);
  try {
    return await work(copy, place);
  } finally {
    rmSync(place, { recursive: true });
  }
}

/** A command that is killed at moments which are spread evenly over its undisturbed duration. */
export interface KilledCommand {
  readonly name: string;
  readonly folder: string;
  /** A database file that is copied for each kill and never changed. */
  readonly before: string;
  readonly args: (database: string) => readonly string[];
  /** The shares of the duration of the first and the last kill. At the beginning a command only loads its program. */
  readonly between: readonly [first: number, last: number];
  readonly isRepeatable?: boolean;
}

export async function killOften(
  { name, folder, before, args, between: [first, last] }: KilledCommand,
  kills: number,
  examine: (copy: string, place: string) => Promise<string[]>,
): Promise<string[]> {
  const [wholeMs] = await onCopy(folder, before, (copy) =>
    timed(() => cofferPrints(...args(copy))),
  );
  const problems: string[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    const share = first + ((last - first) * kill) / kills;
    const found = await onCopy(folder, before, async (copy, place) => {
      await killCoffer(args(copy), wholeMs * share);
      return examine(copy, place);
    });
    problems.push(...named(`${name} killed at ${share.toFixed(3)}`, found));
  }
  return problems;
}

export interface KilledStates {
  readonly before: number;
  readonly after: number;
  readonly problems: readonly string[];
}

/**
 * Kills a command: the database must be as before, or as after the command, and the same command must succeed when it
 * is repeated. `more` examines a copy further, in its state.
 */
export async function killBetween(
  command: KilledCommand,
  kills: number,
  {
    columns,
    before,
    after,
  }: Readonly<Record<'before' | 'after', DatabaseDigest>> & {
    readonly columns: Columns;
  },
  more: (place: string, isAfter: boolean) => string[] = () => [],
): Promise<KilledStates> {
  const found = { before: 0, after: 0 };
  const isAs = (expected: DatabaseDigest, path: string): boolean =>
    differences(expected, digest(path, columns)).length === 0;
  const problems = await killOften(command, kills, async (copy, place) => {
    const wrong = [...inspect(copy).faults];
    const isBefore = isAs(before, copy);
    const isAfter = !isBefore && isAs(after, copy);
    if (isBefore) found.before += 1;
    else if (isAfter) found.after += 1;
    else wrong.push('it is neither complete nor absent');
    wrong.push(...more(place, isAfter));
    if (isAfter && command.isRepeatable !== true) return wrong;
    const { code, stderr } = await coffer(...command.args(copy));
    if (code !== 0) return [...wrong, `the repeated command ended with ${code}: ${stderr}`];
    return [...wrong, ...differences(after, digest(copy, columns))];
  });
  if (kills >= leastForBoth && (found.before === 0 || found.after === 0))
    problems.push(`all kills of ${command.name} came too early, or all too late`);
  return { ...found, problems };
}
