import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { columnsOf, printed } from '../../packages/server/src/db/testing/whole-database.ts';
import { coffer, cofferPrints, killCoffer } from '../../test/service/coffer.ts';
import { named, timed } from '../run/check.ts';
import { inspect, readFile } from '../run/ledger.ts';

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

async function killOften(
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
  states: Readonly<Record<'before' | 'after', DatabaseDigest>> & { readonly columns: Columns },
  more: (place: string, isAfter: boolean) => string[] = () => [],
): Promise<KilledStates> {
  const { columns, before, after } = states;
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

export type Columns = ReturnType<typeof columnsOf>;

export interface DatabaseDigest {
  readonly schemaVersion: number;
  readonly sum: bigint;
  /** SHA-256 of all values of all rows in the order of the primary key. */
  readonly tables: Readonly<Record<string, { readonly rows: number; readonly hash: string }>>;
}

/** Reads all rows of those tables. Opening the file applies its write-ahead log. */
export function digest(path: string, columns: Columns): DatabaseDigest {
  return readFile(path, (database) => {
    database.defaultSafeIntegers();
    const list = (sql: string): IterableIterator<string> =>
      database.prepare<[], string>(sql).pluck().iterate();
    const digestOf = (table: string, names: readonly string[]) => {
      const keys = [
        ...list(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0 ORDER BY pk`),
      ];
      const values = `json_array(${names.map(printed).join(', ')})`;
      const hash = createHash('sha256');
      let rows = 0;
      for (const row of list(`SELECT ${values} FROM ${table} ORDER BY ${keys.join(', ')}`)) {
        hash.update(row).update('\n');
        rows += 1;
      }
      return { rows, hash: hash.digest('hex') };
    };
    const tables = Object.entries(columns).map(([table, names]) => [table, digestOf(table, names)]);
    const sum = database.prepare<[], bigint>('SELECT ifnull(sum(amount), 0) FROM transactions');
    return {
      schemaVersion: Number(database.pragma('user_version', { simple: true })),
      sum: sum.pluck().get() ?? 0n,
      tables: Object.fromEntries(tables) as DatabaseDigest['tables'],
    };
  });
}

/** Returns a line for each table that differs, and for the sum. The schema versions may differ. */
export function differences(expected: DatabaseDigest, found: DatabaseDigest): string[] {
  const problems = Object.entries(expected.tables).flatMap(([table, { rows, hash }]) => {
    const other = found.tables[table];
    if (other?.hash === hash) return [];
    return [`${table} has ${other?.rows} rows instead of ${rows}, or different ones`];
  });
  if (expected.sum === found.sum) return problems;
  return [...problems, `the sum of amounts is ${found.sum} instead of ${expected.sum}`];
}

/** Columns that differ between two runs of one command: times, and the differences in the log, which have times. */
const isTime = (column: string): boolean => /^at$|_at$|^balance_as_of$|^diff$/.test(column);

export function lastingColumns(path: string): Columns {
  const all = Object.entries(columnsOf(path));
  return Object.fromEntries(
    all.map(([table, names]) => [table, names.filter((name) => !isTime(name))]),
  );
}
