import { join } from 'node:path';
import { addOwner, inFolder, useStore } from './book.ts';
import { inspect } from './database-file.ts';
import { countCalls, faultInjector, type DiskFault } from './disk-faults.ts';
import type { FaultyRun } from './faulty-writer.ts';
import { SyncedAccounts } from './synced-accounts.ts';
import { startTracedServer } from './traced-server.ts';
import { WriteAnswers } from './write-answers.ts';

const accountCount = 2;
const never = 65_535;

/** How many such calls a server makes until it listens, on a database like those of {@link serveOnFaultyDisk}. */
export function callsOfStart(calls: DiskFault['calls']): Promise<number> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    await useStore(database, (store) => addOwner(store, 'owner'));
    const prefix = join(folder, 'calls');
    const runner = faultInjector({ calls, first: never }, prefix);
    await (await startTracedServer({ database, runner })).end('SIGKILL');
    return countCalls(prefix).made;
  });
}

/**
 * Has a server refresh accounts `writes` times while its disk fails, kills it after the last, and holds the file
 * against what was acknowledged. It is one process all the time.
 */
export function serveOnFaultyDisk(fault: DiskFault, writes: number): Promise<FaultyRun> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    const owner = await useStore(database, (store) => addOwner(store, 'owner'));
    const accounts = await SyncedAccounts.make(database, owner, accountCount);
    const prefix = join(folder, 'calls');
    const server = await startTracedServer({
      database,
      flags: ['--rate-limit', '1000000'],
      environment: accounts.environment,
      runner: faultInjector(fault, prefix),
    });
    const answers = new WriteAnswers();
    const problems: string[] = [];
    try {
      let isAfterRefusal = false;
      for (let n = 0; n < writes; n += 1) {
        const answer = await accounts.refresh(server.url, n % accountCount);
        answers.add(answer);
        if (isAfterRefusal && answer.status !== 200)
          problems.push(`write ${n + 1} meets no fault and is answered with ${answer.status}`);
        isAfterRefusal = answer.status !== 200;
      }
    } finally {
      await server.end('SIGKILL');
      await accounts.close();
    }
    problems.push(...answers.problems, ...inspect(database).faults);
    const { lost, half, unacknowledged } = await accounts.compare();
    if (lost + half + unacknowledged > 0)
      problems.push(
        `accounts: ${lost} lost, ${half} half, ${unacknowledged} stored though refused`,
      );
    const { made, failed } = countCalls(prefix);
    if (failed === 0) problems.push(`no call failed among ${made}`);
    return {
      faults: failed,
      acknowledged: accounts.acknowledged,
      problems: problems.map(
        (problem) => `server, ${fault.calls} ${fault.first}+${fault.step}: ${problem}`,
      ),
    };
  });
}
