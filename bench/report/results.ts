import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type as systemType } from 'node:os';
import type { Figure } from './figure.ts';

export const resultsFolder = new URL('../results/', import.meta.url);

export interface Results extends Pick<Stamp, 'date' | 'commit' | 'machine'> {
  readonly rows: number;
  readonly figures: readonly Figure[];
}

/** Keeps `results` without the short name of the machine. */
export function writeResults(
  name: string,
  { date, commit, machine, rows, figures }: Results & Stamp,
): void {
  const results: Results = { date, commit, machine, rows, figures };
  writeFileSync(new URL(name, resultsFolder), `${JSON.stringify(results, null, 2)}\n`);
  console.log(`  written to bench/results/${name}`);
}

export interface Stamp {
  readonly date: string;
  /** The short hash, with a `+` when the working tree has changes. */
  readonly commit: string;
  readonly machine: Readonly<Record<string, string | number>>;
  readonly inShort: string;
}

/** Returns the stamp; call it before a run writes its first file. */
export function takeStamp(): Stamp {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const isClean = git('status', '--porcelain') === '';
  const processors = cpus().length;
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: git('rev-parse', '--short', 'HEAD') + (isClean ? '' : '+'),
    machine: {
      processors,
      processor: cpus()[0]?.model ?? 'unknown',
      memoryGB: Math.round(totalmem() / 2 ** 30),
      system: `${systemType()} ${release()}`,
      node: process.version,
    },
    inShort: `${processors} processors, Node ${process.version.slice(1)}`,
  };
}
