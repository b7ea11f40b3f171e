import { join } from 'node:path';
import { addOwner, inFolder, useStore } from './book.ts';
import { writeStatement } from './batches.ts';
import { countCalls, faultInjector, type DiskFault } from './disk-faults.ts';
import { fileProblems, type FaultyRun } from './faulty-writer.ts';
import { startImport } from './import-process.ts';
import { Ledger } from './ledger.ts';

const fileCount = 8;
const rowCount = 5;

/** Imports files while the disk fails once, holds the file against what was acknowledged, and imports them again. */
export function importOnFaultyDisk(fault: DiskFault): Promise<FaultyRun> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    const { email } = await useStore(database, (store) => addOwner(store, 'owner'));
    const ledger = new Ledger();
    const batches = Array.from({ length: fileCount }, () => ledger.send(rowCount));
    const files = batches.map((batch) => writeStatement(folder, batch, rowCount));
    const onImported = (index: number): void => ledger.acknowledge(batches[index]!);
    const prefix = join(folder, 'calls');
    const runner = faultInjector(fault, prefix);
    const failing = await startImport({ database, email, files, runner, onImported }).ended;
    const { failed } = countCalls(prefix);
    const problems = fileProblems(database, ledger);
    const isWhole = ledger.acknowledged === fileCount;
    if ((failing.code === 0) !== isWhole)
      problems.push(
        `it took in ${ledger.acknowledged} of ${fileCount} files and ended with ${failing.code}`,
      );
    // The second is said when the database could not even be opened.
    const refusal = /Nothing of .* is imported|The database file cannot be read or written/;
    if (!isWhole && !refusal.test(failing.errors))
      problems.push(`it does not say what was not imported: ${failing.errors}`);
    const again = await startImport({ database, email, files, onImported }).ended;
    if (again.code !== 0)
      problems.push(`the next import ended with ${again.code}: ${again.errors}`);
    problems.push(...fileProblems(database, ledger));
    return {
      faults: failed,
      acknowledged: ledger.acknowledged,
      problems: problems.map((problem) => `import, ${fault.calls} ${fault.first}: ${problem}`),
    };
  });
}
