import { join } from 'node:path';
import { addOwner, inFolder, useStore } from './book.ts';
import { inspect } from './database-file.ts';
import { countCalls, faultInjector, type DiskFault } from './disk-faults.ts';
import { Ledger } from './ledger.ts';
import { runProgram } from './run-program.ts';
import type { WriterOrder } from './store-writer.ts';

/** What came of writing to a disk that fails. */
export interface FaultyRun {
  /** System calls that failed. */
  readonly faults: number;
  readonly acknowledged: number;
  readonly problems: readonly string[];
}

const writer = join(import.meta.dirname, 'store-writer.ts');
const rowCount = 5;

/**
 * Lets the store write `batchCount` batches in a process of its own while its disk fails, and holds what the file has
 * against what was acknowledged. With `diesOfRefusal` the process kills itself right after the first refusal.
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
    const { code, output, errors } = await runProgram([
      ...faultInjector(fault, prefix),
      ...program,
    ]);
    const { made, failed } = countCalls(prefix);
    const ledger = new Ledger();
    for (let batch = 1; batch <= batchCount; batch += 1) ledger.send(rowCount);
    for (const [, batch] of output.matchAll(/^ACK (\d+)$/gm)) ledger.acknowledge(Number(batch));
    const problems = [
      ...(failed === 0 ? [`no call failed among ${made}`] : []),
      ...(codesOf(output, diesOfRefusal).includes(code) ? [] : [`ended with ${code}: ${errors}`]),
      ...refusalProblems(output),
      ...fileProblems(database, ledger),
    ].map((problem) => `${fault.calls} ${fault.first}+${fault.step ?? ''}: ${problem}`);
    return { faults: failed, acknowledged: ledger.acknowledged, problems };
  });
}

/** How the process may end: when the fault comes while it opens the database, it says so and has done nothing. */
function codesOf(output: string, diesOfRefusal: boolean): (number | string)[] {
  if (output === '') return [3];
  return diesOfRefusal && output.includes('NO ') ? ['SIGKILL'] : [0];
}

/** A refusal has to name the disk, and the next batch has to go through: it meets no fault. */
function refusalProblems(output: string): string[] {
  const strange = output.split('\n').filter((line) => /^NO \d+ (?!SQLITE_IOERR)/.test(line));
  const repeated = output.match(/^NO .*\nNO .*$/gm) ?? [];
  return [
    ...strange.map((line) => `refused for another reason: ${line}`),
    ...repeated.map((lines) => `refused without a fault: ${lines.replace('\n', ', ')}`),
  ];
}

/** What a file has must be what was acknowledged, neither less nor more. */
export function fileProblems(database: string, ledger: Ledger): string[] {
  const { faults, batches } = inspect(database);
  const { lost, half } = ledger.compare(batches);
  const more = ledger.unacknowledged(batches);
  return [
    ...faults,
    ...(lost > 0 ? [`${lost} of ${ledger.acknowledged} acknowledged batches are lost`] : []),
    ...(half > 0 ? [`${half} batches are there in part`] : []),
    ...(more > 0 ? [`${more} batches are there that were refused`] : []),
  ];
}
