import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from '../run/ask.ts';
import { addOwner, inFolder, useStore } from '../run/book.ts';
import { entryOf, importInto, inspect } from '../run/ledger.ts';
import { startServer, type ServerOptions, type ServerProcess } from '../run/server-process.ts';
import { SyncedAccounts } from '../run/synced-accounts.ts';
import { DatabaseResponses } from '../run/database-responses.ts';
import { countCalls, faultInjector, type DiskFault } from './disk-faults.ts';
import type { FaultyRun } from './faulty-writer.ts';

const accountCount = 2;
const never = 65_535;

/** Counts the calls that a server makes until it listens, on a database like those of {@link serveOnFaultyDisk}. */
export function callsOfStart(calls: DiskFault['calls']): Promise<number> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    await useStore(database, (store) => addOwner(store, 'owner'));
    const prefix = join(folder, 'calls');
    const runner = faultInjector({ calls, first: never }, prefix, database);
    await (await startTracedServer({ database, runner })).end('SIGKILL');
    return countCalls(prefix).made;
  });
}

/**
 * Makes one server process refresh accounts `writes` times while its disk fails, kills it, and compares the file with
 * the acknowledged writes.
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
      runner: faultInjector(fault, prefix, database),
    });
    const answers = new DatabaseResponses();
    const problems: string[] = [];
    try {
      const isFaulty = newFaults(prefix);
      for (let n = 0; n < writes; n += 1) {
        const answer = await accounts.refresh(server.url, n % accountCount);
        if (!answers.add(answer) && !isFaulty())
          problems.push(`write ${n + 1} has no disk fault and gets ${answer.status}`);
      }
    } finally {
      await server.end('SIGKILL');
      await accounts.close();
    }
    problems.push(...answers.problems, ...inspect(database).faults);
    const { lost, half, unacknowledged } = await accounts.compare();
    if (lost + half + unacknowledged > 0)
      problems.push(
        `accounts: ${lost} lost, ${half} partial, ${unacknowledged} stored though refused`,
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

const calls = 'pread64';
const rowCount = 200;
const reads = 6;

/**
 * Reads from a server while one read of its disk fails, `later` calls after its start. Each response must be complete
 * or a refusal, and the same process must serve the next request.
 */
export function readFromFaultyDisk(later: number): Promise<FaultyRun> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    const owner = await useStore(database, async (store) => {
      const made = await addOwner(store, 'owner');
      const row = { date: '2024-01-15', payee: 'Shop', notes: 'n'.repeat(300) };
      const lines = Array.from({ length: rowCount }, (_, index) => index + 1);
      const entries = lines.map((line) => entryOf({ line, amount: -line, ...row }));
      await importInto(store, made.bookId, entries, { defaultAccount: 'Cash' });
      return made;
    });
    const prefix = join(folder, 'calls');
    const first = (await callsOfStart(calls)) + later;
    const server = await startTracedServer({
      database,
      flags: ['--rate-limit', '1000000'],
      runner: faultInjector({ calls, first }, prefix, database),
    });
    const answers = new DatabaseResponses();
    const problems: string[] = [];
    try {
      const isFaulty = newFaults(prefix);
      for (let n = 0; n < reads; n += 1) {
        const path = `/v2/transactions?limit=${rowCount}`;
        const answer = await ask(server.url + path, { token: owner.token });
        if (!answers.add(answer) && !isFaulty())
          problems.push(`read ${n + 1} has no disk fault and gets ${answer.status}`);
        if (answer.status === 200 && rowsIn(answer.text) !== rowCount)
          problems.push(`read ${n + 1} has ${rowsIn(answer.text)} rows`);
      }
    } finally {
      await server.end('SIGKILL');
    }
    const { made, failed } = countCalls(prefix);
    if (failed === 0) problems.push(`no call failed among ${made}`);
    return {
      faults: failed,
      acknowledged: 0,
      problems: [...problems, ...answers.problems].map((problem) => `reads, ${later}: ${problem}`),
    };
  });
}

/** Returns a function that tests for disk faults since its last call. */
function newFaults(prefix: string): () => boolean {
  let known = 0;
  return () => {
    const { failed } = countCalls(prefix);
    const hasMore = failed > known;
    known = failed;
    return hasMore;
  };
}

function rowsIn(text: string): number {
  return (JSON.parse(text) as { transactions: unknown[] }).transactions.length;
}

/**
 * Starts a server under strace. Signals go to the server; strace ends with it, in the same way.
 */
export async function startTracedServer(
  options: ServerOptions & { readonly runner: readonly string[] },
): Promise<ServerProcess> {
  const runner = await startServer(options);
  const children = readFileSync(`/proc/${runner.pid}/task/${runner.pid}/children`, 'utf8');
  const pid = Number(children.trim());
  let hasEnded = false;
  void runner.ended.then(() => (hasEnded = true));
  return {
    ...runner,
    pid,
    end: (signal) => {
      if (!hasEnded) process.kill(pid, signal);
      return runner.ended;
    },
  };
}
