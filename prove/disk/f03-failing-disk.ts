import type { Check } from '../run/check.ts';
import type { DiskFault } from './disk-faults.ts';
import { readFromFaultyDisk, callsOfStart, serveOnFaultyDisk } from './faulty-server.ts';
import { importOnFaultyDisk, writeOnFaultyDisk, type FaultyRun } from './faulty-writer.ts';

/**
 * The calls of which one fails, and about how many of them a write makes. The next one fails `step` calls later: late
 * enough for the store to have recovered and taken a write in between.
 */
const kinds = [
  { calls: 'fsync,fdatasync', step: 7, ofBatch: 1, ofRefresh: 1 },
  { calls: 'pwrite64', step: 60, ofBatch: 12, ofRefresh: 6 },
] as const;

/** Lets each of the first calls fail that sync or write, and some that read, as a disk does that is about to die. */
export const check: Check = {
  id: 'F3',
  promise:
    'When a sync, a write or a read of the disk fails, the one request under way is refused with 503 and the next is served: ' +
    'the file has what was acknowledged, no less and no more',
  needs: ['strace'],
  rounds: { short: 3, full: 300 },
  run: async (rounds) => {
    const runs: FaultyRun[] = [];
    for (const { calls, step, ofBatch, ofRefresh } of kinds) {
      // When a call fails by which it opens the database, a server does not start; that is no matter of requests.
      const opening = await callsOfStart(calls);
      for (let first = 1; first <= Math.min(step, rounds); first += 1) {
        const fault = { calls, first, step };
        runs.push(await writeOnFaultyDisk(fault, Math.ceil((rounds + step) / ofBatch)));
        if (first > 1 && rounds < step) continue;
        const later = { ...fault, first: first + opening };
        runs.push(await serveOnFaultyDisk(later, Math.ceil((rounds + step) / ofRefresh)));
      }
      for (const fault of few(calls, rounds)) {
        runs.push(await writeOnFaultyDisk(fault, 40, true), await importOnFaultyDisk(fault));
      }
    }
    // So many pages are read after a start, before the rest is answered from memory.
    for (let later = 1; later <= Math.ceil(rounds / 15); later += 1)
      runs.push(await readFromFaultyDisk(later));
    const sum = (of: (run: FaultyRun) => number): number =>
      runs.reduce((all, run) => all + of(run), 0);
    const problems = runs.flatMap((run) => run.problems);
    return {
      figure:
        `${sum(({ faults }) => faults)} faults in ${runs.length} processes, ` +
        `${sum(({ acknowledged }) => acknowledged)} writes acknowledged and those, no more, are in the files: ` +
        `${problems.length} exceptions`,
      problems,
    };
  },
};

/** Faults that come alone, for what starts a process for each. The first two syncs are of a new log itself. */
function few(calls: DiskFault['calls'], rounds: number): DiskFault[] {
  const count = 1 + Math.floor(rounds / 20);
  return Array.from({ length: count }, (_, index) => ({ calls, first: index + 3 }));
}
