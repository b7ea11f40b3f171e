import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, type Answer } from '../../test/service/ask.ts';
import { addOwner, inFolder, useStore } from '../../test/service/owners.ts';
import {
  startServer,
  withSynced,
  type ServerOptions,
  type ServerProcess,
} from '../../test/service/server-process.ts';
import { named } from '../run/check.ts';
import { DatabaseResponses } from '../run/database-responses.ts';
import { entryOf, importInto } from '../../test/service/imported.ts';
import { inspect, lossProblems } from '../run/ledger.ts';

/** System calls that fail with EIO, counted in each thread from its start. */
export interface DiskFault {
  readonly calls: 'fsync,fdatasync' | 'pwrite64' | 'pread64';
  readonly first: number;
  /** The number of calls to the next failure; by default only one call fails. */
  readonly step?: number;
}

export interface FaultyRun {
  readonly faults: number;
  readonly acknowledged: number;
  readonly problems: readonly string[];
}

/**
 * Returns the command that runs a program and makes its calls fail; traces go to files that begin with `prefix`. Reads
 * fail only on `database`, because Node also reads files of the program.
 */
export function faultInjector(
  { calls, first, step }: DiskFault,
  prefix: string,
  database: string,
): string[] {
  const when = step === undefined ? `${first}` : `${first}+${step}`;
  return [
    'strace',
    '-ff',
    '--seccomp-bpf',
    '-qq',
    '-s',
    '0',
    '-o',
    prefix,
    '-e',
    `trace=${calls}`,
    '-e',
    `inject=${calls}:error=EIO:when=${when}`,
    ...(calls === 'pread64' ? ['-P', database] : []),
  ];
}

export function countCalls(prefix: string): { made: number; failed: number } {
  const lines = globSync(`${prefix}.*`)
    .flatMap((file) => readFileSync(file, 'latin1').split('\n'))
    .filter((line) => /\) += /.test(line));
  return { made: lines.length, failed: lines.filter((line) => line.includes('(INJECTED)')).length };
}

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

type Add = (answer: Answer, what: string, problems?: readonly string[]) => void;

/** Runs `work` on a server whose disk fails. It adds every response; a refusal must come from a disk fault. */
async function onFaultyDisk(
  options: Pick<ServerOptions, 'database' | 'environment'>,
  fault: DiskFault,
  work: (url: string, add: Add) => Promise<void>,
) {
  const prefix = join(options.database, '../calls');
  const runner = faultInjector(fault, prefix, options.database);
  const server = await startTracedServer({ ...options, flags, runner });
  const answers = new DatabaseResponses();
  let known = 0;
  const add: Add = (answer, what, problems = []) => {
    const isStored = answers.add(answer);
    const { failed } = countCalls(prefix);
    if (!isStored && failed === known)
      answers.problems.push(`${what} has no disk fault and gets ${answer.status}`);
    answers.problems.push(...problems);
    known = failed;
  };
  try {
    await work(server.url, add);
  } finally {
    await server.stop();
  }
  const { made, failed: faults } = countCalls(prefix);
  if (faults === 0) answers.problems.push(`no call failed among ${made}`);
  return { faults, problems: answers.problems };
}

/**
 * Makes one server process refresh accounts `writes` times while its disk fails, kills it, and compares the file with
 * the acknowledged writes.
 */
export function serveOnFaultyDisk(fault: DiskFault, writes: number): Promise<FaultyRun> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    return withSynced({ database }, accountCount, async ({ accounts }) => {
      const options = { database, environment: accounts.environment };
      const { faults, problems } = await onFaultyDisk(options, fault, async (url, add) => {
        for (let n = 0; n < writes; n += 1)
          add(await accounts.refresh(url, n % accountCount), `write ${n + 1}`);
      });
      const lost = lossProblems(await accounts.compare(), 'refreshes', true);
      const all = [...problems, ...inspect(database).faults, ...lost];
      const name = `server, ${fault.calls} ${fault.first}+${fault.step}`;
      return { faults, acknowledged: accounts.acknowledged, problems: named(name, all) };
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
      const entries = Array.from({ length: rowCount }, (_, n) =>
        entryOf({ line: n + 1, amount: -1 - n, ...row }),
      );
      await importInto(store, made.bookId, entries, { defaultAccount: 'Cash' });
      return made;
    });
    const first = (await callsOfStart(calls)) + later;
    const { faults, problems } = await onFaultyDisk(
      { database },
      { calls, first },
      async (url, add) => {
        for (let n = 1; n <= reads; n += 1) {
          const answer = await ask(`${url}/v2/transactions?limit=${rowCount}`, { token });
          const rows = answer.status === 200 ? answer.text.split('"payee":').length - 1 : rowCount;
          add(answer, `read ${n}`, rows === rowCount ? [] : [`read ${n} has ${rows} rows`]);
        }
      },
    );
    return { faults, acknowledged: 0, problems: named(`reads, ${later}`, problems) };
  });
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
