import { mkdirSync, writeFileSync } from 'node:fs';
import type { Figure } from './figure.ts';
import type { Stamp } from './stamp.ts';

export const resultsFolder = new URL('../results/', import.meta.url);

export interface Results extends Pick<Stamp, 'date' | 'commit' | 'machine'> {
  readonly rows: number;
  readonly figures: readonly Figure[];
}

export function writeResults(name: string, results: Results): string {
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(new URL(name, resultsFolder), `${JSON.stringify(results, null, 2)}\n`);
  return `bench/results/${name}`;
}

export function resultsOf(stamp: Stamp, rows: number, figures: readonly Figure[]): Results {
  const { date, commit, machine } = stamp;
  return { date, commit, machine, rows, figures };
}
