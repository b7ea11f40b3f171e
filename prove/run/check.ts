import { postgresPrograms } from '../../packages/server/src/db/testing/postgres-server.ts';
import { faketimeLibrary } from '../../packages/server/src/limiter/testing/faketime.ts';
import { findProgram } from '../../packages/core/src/testing/starts.ts';

/** The result of a check: a figure to print, and a line for each violation of the promise. */
export interface Outcome {
  /** A few words with numbers: `200 kills, 41,233 acknowledged writes, 0 lost`. */
  readonly figure: string;
  readonly problems: readonly string[];
}

export interface Check {
  readonly id: string;
  /** Commands that must be on PATH; `libfaketime` and `postgres` must be installed. */
  readonly needs?: readonly string[];
  /** The number of rounds, requests or rows: in `npm run prove -- --short`, and in `npm run prove`. */
  readonly rounds: { readonly short: number; readonly full: number };
  /** Runs `rounds` rounds. Rejects only when the check itself fails. */
  run(rounds: number): Promise<Outcome>;
}

/** How many times longer than promised the short form accepts: it runs among other tests, also on slow machines. */
const patience = 50;

/** Returns the longest time that a check accepts: the promised one in its full form. */
export function acceptedMs(
  promisedMs: number,
  { rounds: { full } }: Check,
  rounds: number,
): number {
  return rounds < full ? promisedMs * patience : promisedMs;
}

export function joined(outcomes: readonly Outcome[], after = ''): Outcome {
  return {
    figure: outcomes.map(({ figure }) => figure).join('; ') + after,
    problems: outcomes.flatMap(({ problems }) => problems),
  };
}

/** Returns a problem for a number above 0: `3 rows are lost`. */
export function counted(count: number, what: string): string[] {
  return count > 0 ? [`${count} ${what}`] : [];
}

export function named(name: string, problems: readonly string[]): string[] {
  return problems.map((problem) => `${name}: ${problem}`);
}

export async function timed<T>(work: () => Promise<T>): Promise<readonly [ms: number, result: T]> {
  const startedAtMs = performance.now();
  const result = await work();
  return [performance.now() - startedAtMs, result];
}

/** Runs `work` for numbers below `count`, in as many lanes at once; returns the results in order. */
export async function inLanes<T>(
  lanes: number,
  count: number,
  work: (n: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) results[n] = await work(n);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

export function quantile(figures: readonly number[], part: number): number {
  const sorted = figures.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

/** Returns the commands that a check needs and this machine lacks. */
export function commandsMissing({ needs = [] }: Pick<Check, 'needs'>): string[] {
  return needs.filter((need) => {
    if (need === 'libfaketime') return faketimeLibrary() === undefined;
    return need === 'postgres' ? postgresPrograms() === null : findProgram(need) === null;
  });
}
