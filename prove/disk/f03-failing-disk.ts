import type { Check } from '../run/check.ts';
import type { DiskFault } from './disk-faults.ts';
import { readFromFaultyDisk, callsOfStart, serveOnFaultyDisk } from './faulty-server.ts';
import { importOnFaultyDisk, writeOnFaultyDisk, type FaultyRun } from './faulty-writer.ts';

/**
 * The calls that fail, and about how many of them a write makes. The next call fails `step` calls later; by then the
 * store has usually recovered and stored a write.
 */
const kinds = [
  { calls: 'fsync,fdatasync', step: 7, ofBatch: 1, ofRefresh: 1 },
  { calls: 'pwrite64', step: 60, ofBatch: 12, ofRefresh: 6 },
] as const;

export const check: Check = {
  id: 'F3',
  needs: ['strace'],
  rounds: { short: 1, full: 300 },
  run: async (rounds) => {
    const runs: FaultyRun[] = [];
    for (const { calls, step, ofBatch, ofRefresh } of kinds) {
      // A server does not start when a call fails that opens the database; those calls are skipped.
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
    // After a start about 20 pages are read from the file; later reads are served from memory.
    for (let later = 1; later <= Math.ceil(rounds / 15); later += 1)
      runs.push(await readFromFaultyDisk(later));
    const sum = (of: (run: FaultyRun) => number): number =>
      runs.reduce((all, run) => all + of(run), 0);
    const problems = runs.flatMap((run) => run.problems);
    return {
      figure:
        `${sum(({ faults }) => faults)} faults in ${runs.length} processes, ` +
        `${sum(({ acknowledged }) => acknowledged)} acknowledged writes, exactly those are in the files: ` +
        `${problems.length} exceptions`,
      problems,
    };
  },
};

/** Single faults, one for each process. The first two syncs create the log. */
function few(calls: DiskFault['calls'], rounds: number): DiskFault[] {
  const count = 1 + Math.floor(rounds / 20);
  return Array.from({ length: count }, (_, index) => ({ calls, first: index + 3 }));
}
