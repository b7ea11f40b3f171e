import { globSync, readFileSync } from 'node:fs';

/** System calls that fail with EIO, counted in each thread from its start. */
export interface DiskFault {
  readonly calls: 'fsync,fdatasync' | 'pwrite64' | 'pread64';
  readonly first: number;
  /** The number of calls to the next failure; by default only one call fails. */
  readonly step?: number;
}

export interface FaultyRun {
  readonly faults: number;
  readonly acknowledged: number;
  readonly problems: readonly string[];
}

interface CallCount {
  readonly made: number;
  readonly failed: number;
}

/**
 * Returns the command that runs a program and makes its calls fail; traces go to files that begin with `prefix`. Reads
 * fail only on `database`, because Node also reads files of the program.
 */
export function faultInjector(
  { calls, first, step }: DiskFault,
  prefix: string,
  database: string,
): string[] {
  const when = step === undefined ? `${first}` : `${first}+${step}`;
  return [
    ...['strace', '-ff', '--seccomp-bpf', '-qq', '-s', '0', '-o', prefix],
    ...['-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO:when=${when}`],
    ...(calls === 'pread64' ? ['-P', database] : []),
  ];
}

export function countCalls(prefix: string): CallCount {
  const lines = globSync(`${prefix}.*`)
    .flatMap((file) => readFileSync(file, 'latin1').split('\n'))
    .filter((line) => /\) += /.test(line));
  return { made: lines.length, failed: lines.filter((line) => line.includes('(INJECTED)')).length };
}
