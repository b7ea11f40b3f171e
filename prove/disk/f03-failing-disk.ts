import { join } from 'node:path';
import { runProgram } from '../../test/service/coffer.ts';
import { addOwner, inFolder, useStore } from '../../test/service/owners.ts';
import { named, type Check } from '../run/check.ts';
import { importBatches, inspect, Ledger, lossProblems } from '../run/ledger.ts';
import {
  callsOfStart,
  countCalls,
  faultInjector,
  readFromFaultyDisk,
  serveOnFaultyDisk,
  type DiskFault,
  type FaultyRun,
} from './faulty-server.ts';
import { writerProgram } from './store-writer.ts';

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

const rowCount = 5;

/**
 * Lets the store write `batchCount` batches in its own process while the disk fails, and compares the file with the
 * acknowledged batches. With `diesOfRefusal` the process kills itself right after the first refusal.
 */
function writeOnFaultyDisk(fault: DiskFault, batchCount: number, diesOfRefusal = false) {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    const { bookId } = await useStore(database, (store) => addOwner(store, 'owner'));
    const prefix = join(folder, 'calls');
    const order = { database, bookId, batchCount, rowCount, diesOfRefusal };
    const program = [...faultInjector(fault, prefix, database), ...writerProgram(order)];
    const { code, stdout, stderr } = await runProgram(program);
    const { made, failed } = countCalls(prefix);
    const ledger = new Ledger();
    for (let batch = 1; batch <= batchCount; batch += 1) ledger.send(rowCount);
    for (const [, batch] of stdout.matchAll(/^ACK (\d+)$/gm)) ledger.acknowledge(Number(batch));
    const problems = [
      ...(failed === 0 ? [`no call failed among ${made}`] : []),
      ...(codeOf(stdout, diesOfRefusal) === code ? [] : [`ended with ${code}: ${stderr}`]),
      ...refusalProblems(stdout),
      ...fileProblems(database, ledger),
    ];
    const name = `${fault.calls} ${fault.first}+${fault.step ?? ''}`;
    const acknowledged = ledger.acknowledged.size;
    return { faults: failed, acknowledged, problems: named(name, problems) };
  });
}

/** Returns the expected exit code. A fault during the opening of the database ends the process with 3. */
function codeOf(output: string, diesOfRefusal: boolean): number | string {
  if (output === '') return 3;
  return diesOfRefusal && output.includes('NO ') ? 'SIGKILL' : 0;
}

/** A refusal must name the disk, and the next batch, which has no fault, must be stored. */
function refusalProblems(output: string): string[] {
  const strange = output.split('\n').filter((line) => /^NO \d+ (?!failing)/.test(line));
  const repeated = output.match(/^NO .*\nNO .*$/gm) ?? [];
  return [
    ...strange.map((line) => `refused for another reason: ${line}`),
    ...repeated.map((lines) => `refused without a fault: ${lines.replace('\n', ', ')}`),
  ];
}

/** The file must hold exactly the acknowledged batches. */
function fileProblems(database: string, ledger: Ledger): string[] {
  const { faults, batches } = inspect(database);
  return [...faults, ...lossProblems(ledger.compare(batches), 'batches', true)];
}

const fileCount = 8;

function importOnFaultyDisk(fault: DiskFault): Promise<FaultyRun> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    const { email } = await useStore(database, (store) => addOwner(store, 'owner'));
    const ledger = new Ledger();
    const prefix = join(folder, 'calls');
    const runner = faultInjector(fault, prefix, database);
    const batches = Array.from({ length: fileCount }, () => ledger.send(rowCount));
    const job = { folder, database, email, batches };
    const failing = await importBatches(ledger, { ...job, runner }).ended;
    const { failed } = countCalls(prefix);
    const problems = fileProblems(database, ledger);
    const { size } = ledger.acknowledged;
    if ((failing.code === 0) !== (size === fileCount))
      problems.push(`it imported ${size} of ${fileCount} files and ended with ${failing.code}`);
    // The second message appears when the database could not be opened.
    const refusal = /was not imported|The database file cannot be read or written/;
    if (size < fileCount && !refusal.test(failing.stderr))
      problems.push(`it does not report what was not imported: ${failing.stderr}`);
    const again = await importBatches(ledger, job).ended;
    if (again.code !== 0)
      problems.push(`the next import ended with ${again.code}: ${again.stderr}`);
    problems.push(...fileProblems(database, ledger));
    return {
      faults: failed,
      acknowledged: ledger.acknowledged.size,
      problems: named(`import, ${fault.calls} ${fault.first}`, problems),
    };
  });
}
