import { join } from 'node:path';
import { runProgram } from '../../test/service/coffer.ts';
import { addOwner, inFolder, useStore } from '../../test/service/owners.ts';
import { named } from '../run/check.ts';
import { importBatches, inspect, Ledger, lossProblems } from '../run/ledger.ts';
import { countCalls, faultInjector, type DiskFault } from './disk-faults.ts';
import { writerProgram } from './store-writer.ts';

export interface FaultyRun {
  readonly faults: number;
  readonly acknowledged: number;
  readonly problems: readonly string[];
}

const rowCount = 5;

/**
 * Lets the store write `batchCount` batches in its own process while the disk fails, and compares the file with the
 * acknowledged batches. With `diesOfRefusal` the process kills itself right after the first refusal.
 */
export function writeOnFaultyDisk(
  fault: DiskFault,
  batchCount: number,
  diesOfRefusal = false,
): Promise<FaultyRun> {
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

export function importOnFaultyDisk(fault: DiskFault): Promise<FaultyRun> {
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
      ...{ faults: failed, acknowledged: ledger.acknowledged.size },
      problems: named(`import, ${fault.calls} ${fault.first}`, problems),
    };
  });
}
