import { setTimeout as sleep } from 'node:timers/promises';
import type { JobClock } from './job.ts';

/** The clock of the computer. Its timers do not keep the process alive. */
export const systemClock: JobClock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined),
};
