import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem, type as systemType } from 'node:os';

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
