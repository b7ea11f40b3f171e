import { mkdirSync, writeFileSync } from 'node:fs';
import type { Figure } from './figure.ts';
import type { Stamp } from './stamp.ts';

/** The folder of the results of all runs. */
export const resultsFolder = new URL('../results/', import.meta.url);

/** The figures of a run, as its file has them. */
export interface Results extends Pick<Stamp, 'date' | 'commit' | 'machine'> {
  readonly rows: number;
  readonly figures: readonly Figure[];
}

/** Writes the figures of a run to a file of the results. Returns its path from the top of the project. */
export function writeResults(name: string, results: Results): string {
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(new URL(name, resultsFolder), `${JSON.stringify(results, null, 2)}\n`);
  return `bench/results/${name}`;
}

/** Returns the figures of a run with its stamp. */
export function resultsOf(stamp: Stamp, rows: number, figures: readonly Figure[]): Results {
  const { date, commit, machine } = stamp;
  return { date, commit, machine, rows, figures };
}
