import { readdirSync, readFileSync } from 'node:fs';

/** Returns the ids of all processes that a process has started, and those that these have started; on Linux. */
export function descendants(pid: number | undefined): number[] {
  const children = new Map<number, number[]>();
  for (const id of processIds()) {
    const parent = parentOf(id);
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), id]);
  }
  const found = pid === undefined ? [] : [...(children.get(pid) ?? [])];
  for (const id of found) found.push(...(children.get(id) ?? []));
  return found;
}

/** Ends a process with all that it has started. */
export function killTree(pid: number | undefined): void {
  if (pid === undefined) return;
  for (const id of [pid, ...descendants(pid)]) {
    try {
      process.kill(id, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
}

/** Returns the processor seconds of a process and of all that it has started; 0 where that cannot be read. */
export function treeProcessorS(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const stats = [pid, ...descendants(pid)].map((id) => readProcessFile(id, 'stat'));
  return stats.reduce((sum, stat) => sum + (stat === null ? 0 : secondsOf(stat)), 0);
}

/** Returns the id and the command line of a process. */
export function describeProcess(pid: number): string {
  const command = readProcessFile(pid, 'cmdline') ?? '';
  return `${pid} ${command.replaceAll('\0', ' ').trim()}`;
}

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Returns the parent of a process; null when it has ended, or only waits to be counted by its parent. */
function parentOf(pid: number): number | null {
  const text = readProcessFile(pid, 'stat');
  if (text === null) return null;
  const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' ? null : Number(parent);
}

function readProcessFile(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return null;
  }
}

/** Fields of /proc/self/stat, counted from the state: user and system time, own and of children that have ended. */
const timeFields = [11, 12, 13, 14];
const ticksPerS = 100;

/** Returns the processor seconds of this process so far, on Linux with those of its children that have ended. */
export function processorS(): number {
  try {
    return secondsOf(readFileSync('/proc/self/stat', 'utf8'));
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
}

/** Returns the processor seconds in the text of a file /proc/PID/stat, with those of children that have ended. */
function secondsOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return timeFields.reduce((sum, field) => sum + Number(fields[field]) / ticksPerS, 0);
}
