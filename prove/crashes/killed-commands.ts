import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { columnsOf } from '../../packages/server/src/db/testing/whole-database.ts';
import { digest, differences, type Columns } from '../database/database-digest.ts';
import { coffer, cofferPrints, killCoffer } from '../run/coffer.ts';
import { inspect } from '../run/ledger.ts';

/** A command is killed between these shares of its undisturbed duration. Before, it only loads its program. */
const killedBetween = { first: 0.3, last: 1.7 };

/** With this many kills, some must come before the end of the command and some after it. */
const leastForBoth = 10;

/** Columns that differ between two runs of one command: times, and the differences in the log, which have times. */
const isTime = (column: string): boolean => /^at$|_at$|^balance_as_of$|^diff$/.test(column);

/** What becomes of the database if a command is killed at any moment. */
export interface KilledCommand {
  /** What is killed, for problems. */
  readonly name: string;
  readonly folder: string;
  /** A database file that is copied and never changed. */
  readonly before: string;
  /** Returns the arguments of the command for a database file. */
  readonly args: (database: string) => readonly string[];
}

/** How many kills left the database as it was, and how many as the command leaves it. */
export interface KilledStates {
  readonly before: number;
  readonly after: number;
  readonly problems: readonly string[];
}

/** Kills a command at moments that are spread evenly, each on a new copy, and compares all tables. */
export async function killOften(command: KilledCommand, kills: number): Promise<KilledStates> {
  const { name, folder, before, args } = command;
  const after = join(folder, 'after.db');
  copyFileSync(before, after);
  const beganAtMs = performance.now();
  await cofferPrints(...args(after));
  const wholeMs = performance.now() - beganAtMs;
  const columns = lastingColumns(after);
  const states = { before: digest(before, columns), after: digest(after, columns) };
  const found = { before: 0, after: 0 };
  const problems: string[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    const { first, last } = killedBetween;
    const share = first + ((last - first) * kill) / kills;
    const place = join(folder, 'killed');
    mkdirSync(place);
    const path = join(place, 'coffer.db');
    copyFileSync(before, path);
    await killCoffer(args(path), wholeMs * share);
    const wrong = [...inspect(path).faults];
    const state = stateOf(path, columns, states);
    if (state === null) wrong.push('it is neither complete nor absent');
    else found[state] += 1;
    if (state === 'before') wrong.push(...(await repeat(args(path), path, columns, states.after)));
    problems.push(...wrong.map((problem) => `${name} killed at ${share.toFixed(3)}: ${problem}`));
    rmSync(place, { recursive: true });
  }
  if (kills >= leastForBoth && (found.before === 0 || found.after === 0))
    problems.push(`all kills of ${name} came too early, or all too late`);
  return { ...found, problems };
}

/** Returns the columns of all tables that a command always leaves the same. */
export function lastingColumns(path: string): Columns {
  const all = Object.entries(columnsOf(path));
  return Object.fromEntries(
    all.map(([table, names]) => [table, names.filter((name) => !isTime(name))]),
  );
}

function stateOf(
  path: string,
  columns: Columns,
  states: Readonly<Record<'before' | 'after', ReturnType<typeof digest>>>,
): 'before' | 'after' | null {
  const found = digest(path, columns);
  if (differences(states.before, found).length === 0) return 'before';
  return differences(states.after, found).length === 0 ? 'after' : null;
}

/** The same command must succeed when it is repeated, and leave what it always leaves. */
async function repeat(
  args: readonly string[],
  path: string,
  columns: Columns,
  expected: ReturnType<typeof digest>,
): Promise<string[]> {
  const { code, stderr } = await coffer(...args);
  if (code !== 0) return [`the repeated command ended with ${code}: ${stderr}`];
  return differences(expected, digest(path, columns));
}
