import { readFileSync } from 'node:fs';

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
export function secondsOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return timeFields.reduce((sum, field) => sum + Number(fields[field]) / ticksPerS, 0);
}
