import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** The unit of processor time in /proc on all Linux systems that Node supports. */
const tickMs = 10;

/** Returns the processor time of a process and its children, including ended ones: user and system, in milliseconds. */
export function processorTimeMs(pid: number): number {
  const running = processAndChildren(pid).map((each) => ticksOf(readStat(String(each)), 11, 13));
  const ended = ticksOf(readStat(String(pid)), 13, 15);
  return (running.reduce((total, ticks) => total + ticks, 0) + ended) * tickMs;
}

export function processAndChildren(pid: number): number[] {
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && readStat(name)?.[1] === String(pid),
  );
  return [pid, ...children.map(Number)];
}

export async function cpuMs(work: () => unknown, otherPid: number | null = null): Promise<number> {
  const otherMs = (): number => (otherPid === null ? 0 : processorTimeMs(otherPid));
  const before = { other: otherMs(), own: process.cpuUsage() };
  await work();
  const { user, system } = process.cpuUsage(before.own);
  return (user + system) / 1000 + otherMs() - before.other;
}

export async function meanCpuMs(
  otherPid: number | null,
  { warmUps, rounds }: { readonly warmUps: number; readonly rounds: number },
  work: () => Promise<unknown>,
): Promise<number> {
  const repeat = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) await work();
  };
  await repeat(warmUps);
  return (await cpuMs(() => repeat(rounds), otherPid)) / rounds;
}

/** Returns the columns of a process from its state on; its parent is the second. Source: proc(5). */
function readStat(name: string): string[] | null {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

function ticksOf(columns: readonly string[] | null, from: number, to: number): number {
  return (columns ?? []).slice(from, to).reduce((total, ticks) => total + Number(ticks), 0);
}

/** Returns the memory of a process, or the most that it had, in bytes; 0 without /proc. Source: proc(5). */
export function memoryOf(pid: number | 'self', name: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Makes the system forget the most memory that a process had. Source: proc(5), clear_refs. */
export function forgetMostMemory(pid: number | 'self'): void {
  const path = `/proc/${pid}/clear_refs`;
  if (existsSync(path)) writeFileSync(path, '5');
}

/** Returns the processor time of the whole machine, including time stolen by its host, in milliseconds. */
export function machineTimeMs(): number {
  const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n');
  const [user = 0, nice = 0, system = 0, , , hardware = 0, software = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + hardware + software + stolen) * tickMs;
}

/** Returns the median; for an even number of values, the upper of the two middle ones. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Returns the value that a share of the values does not exceed, such as 0.99. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

/** Returns the median of the ratios of each round; a temporary slowdown affects both sides of a round. */
export function medianRatio(above: readonly number[], below: readonly number[]): number {
  return median(above.map((value, round) => value / (below[round] ?? Number.NaN)));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
