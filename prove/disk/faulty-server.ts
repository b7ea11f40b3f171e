import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from '../../test/service/ask.ts';
import { addOwner, inFolder, useStore } from '../../test/service/owners.ts';
import {
  startServer,
  withSynced,
  type ServerOptions,
  type ServerProcess,
} from '../../test/service/server-process.ts';
import { named } from '../run/check.ts';
import { DatabaseResponses } from '../run/database-responses.ts';
import { entryOf, importInto, inspect, lossProblems } from '../run/ledger.ts';
import { countCalls, faultInjector, type DiskFault, type FaultyRun } from './disk-faults.ts';

const accountCount = 2;
const never = 65_535;
const flags = ['--rate-limit', '1000000'];

export function callsOfStart(calls: DiskFault['calls']): Promise<number> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    await useStore(database, (store) => addOwner(store, 'owner'));
    const prefix = join(folder, 'calls');
    const runner = faultInjector({ calls, first: never }, prefix, database);
    await (await startTracedServer({ database, runner })).stop();
    return countCalls(prefix).made;
  });
}

class FaultyServer {
  readonly answers = new DatabaseResponses();
  readonly problems: string[] = [];
  readonly #prefix: string;
  readonly server: ServerProcess;
  #known = 0;

  private constructor(prefix: string, server: ServerProcess) {
    this.#prefix = prefix;
    this.server = server;
  }

  static async use(
    options: Pick<ServerOptions, 'database' | 'environment'>,
    fault: DiskFault,
    work: (faulty: FaultyServer) => Promise<void>,
  ): Promise<FaultyServer> {
    const prefix = join(options.database, '../calls');
    const runner = faultInjector(fault, prefix, options.database);
    const faulty = new FaultyServer(prefix, await startTracedServer({ ...options, flags, runner }));
    try {
      await work(faulty);
    } finally {
      await faulty.server.stop();
    }
    return faulty;
  }

  /** Counts a response; a refusal must come from a disk fault. */
  add(answer: Awaited<ReturnType<typeof ask>>, what: string): void {
    const isStored = this.answers.add(answer);
    const { failed } = countCalls(this.#prefix);
    if (!isStored && failed === this.#known)
      this.problems.push(`${what} has no disk fault and gets ${answer.status}`);
    this.#known = failed;
  }

  result(name: string, acknowledged: number, more: readonly string[] = []): FaultyRun {
    const { made, failed } = countCalls(this.#prefix);
    const problems = [...this.problems, ...this.answers.problems, ...more];
    if (failed === 0) problems.push(`no call failed among ${made}`);
    return { faults: failed, acknowledged, problems: named(name, problems) };
  }
}

/**
 * Makes one server process refresh accounts `writes` times while its disk fails, kills it, and compares the file with
 * the acknowledged writes.
 */
export function serveOnFaultyDisk(fault: DiskFault, writes: number): Promise<FaultyRun> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    return withSynced({ database }, accountCount, async ({ accounts }) => {
      const { environment } = accounts;
      const faulty = await FaultyServer.use({ database, environment }, fault, async (of) => {
        for (let n = 0; n < writes; n += 1)
          of.add(await accounts.refresh(of.server.url, n % accountCount), `write ${n + 1}`);
      });
      const { faults } = inspect(database);
      const lost = lossProblems(await accounts.compare(), 'refreshes', true);
      const name = `server, ${fault.calls} ${fault.first}+${fault.step}`;
      return faulty.result(name, accounts.acknowledged, [...faults, ...lost]);
    });
  });
}

const calls = 'pread64';
const rowCount = 200;
const reads = 6;

/** Reads from a server while one read of its disk fails, `later` calls after its start. */
export function readFromFaultyDisk(later: number): Promise<FaultyRun> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    const { token } = await useStore(database, async (store) => {
      const made = await addOwner(store, 'owner');
      const row = { date: '2024-01-15', payee: 'Shop', notes: 'n'.repeat(300) };
      const lines = Array.from({ length: rowCount }, (_, index) => index + 1);
      const entries = lines.map((line) => entryOf({ line, amount: -line, ...row }));
      await importInto(store, made.bookId, entries, { defaultAccount: 'Cash' });
      return made;
    });
    const first = (await callsOfStart(calls)) + later;
    const faulty = await FaultyServer.use({ database }, { calls, first }, async (of) => {
      for (let n = 1; n <= reads; n += 1) {
        const url = `${of.server.url}/v2/transactions?limit=${rowCount}`;
        const answer = await ask(url, { token });
        of.add(answer, `read ${n}`);
        const rows = answer.status === 200 ? rowsIn(answer.text) : rowCount;
        if (rows !== rowCount) of.problems.push(`read ${n} has ${rows} rows`);
      }
    });
    return faulty.result(`reads, ${later}`, 0);
  });
}

function rowsIn(text: string): number {
  return (JSON.parse(text) as { transactions: unknown[] }).transactions.length;
}

/** Starts a server under strace. Signals go to the server; strace ends with it, in the same way. */
export async function startTracedServer(
  options: ServerOptions & { readonly runner: readonly string[] },
): Promise<ServerProcess> {
  const runner = await startServer(options);
  const children = readFileSync(`/proc/${runner.pid}/task/${runner.pid}/children`, 'utf8');
  const pid = Number(children.trim());
  let hasEnded = false;
  void runner.ended.then(() => (hasEnded = true));
  const end: ServerProcess['end'] = (signal) => {
    if (!hasEnded) process.kill(pid, signal);
    return runner.ended;
  };
  return { ...runner, pid, end, stop: () => end('SIGKILL') };
}
