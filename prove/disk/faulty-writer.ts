import { join } from 'node:path';
import { addOwner, inFolder, useStore } from '../run/book.ts';
import { runProgram, startImport } from '../run/coffer.ts';
import { importBatches, inspect, Ledger, writeStatement } from '../run/ledger.ts';
import { countCalls, faultInjector, type DiskFault } from './disk-faults.ts';
import type { WriterOrder } from './store-writer.ts';

/** The result of writing to a failing disk. */
export interface FaultyRun {
  /** System calls that failed. */
  readonly faults: number;
  readonly acknowledged: number;
  readonly problems: readonly string[];
}

const writer = join(import.meta.dirname, 'store-writer.ts');
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
    const order: WriterOrder = { database, bookId, batchCount, rowCount, diesOfRefusal };
    const prefix = join(folder, 'calls');
    const program = [process.execPath, writer, JSON.stringify(order)];
    const { code, stdout, stderr } = await runProgram([
      ...faultInjector(fault, prefix, database),
      ...program,
    ]);
    const { made, failed } = countCalls(prefix);
    const ledger = new Ledger();
    for (let batch = 1; batch <= batchCount; batch += 1) ledger.send(rowCount);
    for (const [, batch] of stdout.matchAll(/^ACK (\d+)$/gm)) ledger.acknowledge(Number(batch));
    const problems = [
      ...(failed === 0 ? [`no call failed among ${made}`] : []),
      ...(codesOf(stdout, diesOfRefusal).includes(code) ? [] : [`ended with ${code}: ${stderr}`]),
      ...refusalProblems(stdout),
      ...fileProblems(database, ledger),
    ].map((problem) => `${fault.calls} ${fault.first}+${fault.step ?? ''}: ${problem}`);
    return { faults: failed, acknowledged: ledger.acknowledged, problems };
  });
}

/** Returns the expected exit codes. A fault during the opening of the database ends the process with 3. */
function codesOf(output: string, diesOfRefusal: boolean): (number | string)[] {
  if (output === '') return [3];
  return diesOfRefusal && output.includes('NO ') ? ['SIGKILL'] : [0];
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
  const { lost, half } = ledger.compare(batches);
  const more = ledger.unacknowledged(batches);
  return [
    ...faults,
    ...(lost > 0 ? [`${lost} of ${ledger.acknowledged} acknowledged batches are lost`] : []),
    ...(half > 0 ? [`${half} batches are partial`] : []),
    ...(more > 0 ? [`${more} refused batches are stored`] : []),
  ];
}

const fileCount = 8;

/** Imports files while the disk fails once, compares the file with the acknowledged batches, and imports again. */
export function importOnFaultyDisk(fault: DiskFault): Promise<FaultyRun> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    const { email } = await useStore(database, (store) => addOwner(store, 'owner'));
    const ledger = new Ledger();
    const prefix = join(folder, 'calls');
    const runner = faultInjector(fault, prefix, database);
    const rowCounts = Array<number>(fileCount).fill(rowCount);
    const job = { folder, database, email, rowCounts };
    const failing = await importBatches(ledger, { ...job, runner }).ended;
    const { failed } = countCalls(prefix);
    const problems = fileProblems(database, ledger);
    const isWhole = ledger.acknowledged === fileCount;
    if ((failing.code === 0) !== isWhole)
      problems.push(
        `it imported ${ledger.acknowledged} of ${fileCount} files and ended with ${failing.code}`,
      );
    // The second message appears when the database could not be opened.
    const refusal = /was not imported|The database file cannot be read or written/;
    if (!isWhole && !refusal.test(failing.stderr))
      problems.push(`it does not report what was not imported: ${failing.stderr}`);
    const files = rowCounts.map((count, n) => writeStatement(folder, n + 1, count));
    const onImported = (index: number): void => ledger.acknowledge(index + 1);
    const again = await startImport({ database, email, files, onImported }).ended;
    if (again.code !== 0)
      problems.push(`the next import ended with ${again.code}: ${again.stderr}`);
    problems.push(...fileProblems(database, ledger));
    return {
      faults: failed,
      acknowledged: ledger.acknowledged,
      problems: problems.map((problem) => `import, ${fault.calls} ${fault.first}: ${problem}`),
    };
  });
}
