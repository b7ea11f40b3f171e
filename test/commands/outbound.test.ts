import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { deleteUnlogged } from '../../packages/server/src/book/unlogged.ts';
import { find } from '../../packages/server/src/db/rows.ts';
import { jobRuns } from '../../packages/server/src/db/tables/tables.ts';
import { inFolder, useStore } from '../service/owners.ts';
import { startServer } from '../service/server-process.ts';

/** Runs a program in a network of its own, which has no way out. */
const alone = [
  'unshare',
  '--map-root-user',
  '--net',
  'sh',
  '-c',
  'ip link set lo up && exec "$@"',
  'sh',
];
const [program = '', ...rest] = alone;
const hasNamespaces = spawnSync(program, [...rest, 'true']).status === 0;
const skip = !hasNamespaces && 'missing: network namespaces';

/** Counters of the kernel for what a network sends, and for what it could not send without a way out. */
const counted = ['Tcp ActiveOpens', 'Udp OutDatagrams', 'Ip OutNoRoutes'];
const counted6 = ['Ip6OutNoRoutes', 'Udp6OutDatagrams'];

/** Returns how often the network of a process was used to reach another program, or to look up a name. */
function attemptsOf(pid: number): number {
  const tables = readFileSync(`/proc/${pid}/net/snmp`, 'utf8').split('\n');
  const values = counted.map((each) => {
    const [table, name = ''] = each.split(' ');
    const [names = [], numbers = []] = tables
      .filter((line) => line.startsWith(`${table}:`))
      .map((line) => line.split(' '));
    return Number(numbers[names.indexOf(name)]);
  });
  const lines6 = readFileSync(`/proc/${pid}/net/snmp6`, 'utf8').split('\n');
  const values6 = lines6.map((line) => line.split(/\s+/));
  for (const [name = '', value] of values6) if (counted6.includes(name)) values.push(Number(value));
  assert.ok(values.every(Number.isInteger), `the kernel has no ${counted.join(', ')}`);
  return values.reduce((sum, each) => sum + each, 0);
}

/** Starts the demo, waits until a change of the database makes `isOver` true, and returns what it sent and logged. */
async function runDemo(
  folder: string,
  flags: readonly string[],
  isOver: (database: string, pid: number) => Promise<boolean>,
): Promise<{ readonly attempts: number; readonly log: string }> {
  const database = join(folder, 'demo.db');
  // Watches from the first call on: jobs may have run before the server is known to listen.
  const stopping = new AbortController();
  const changes = watch(folder, { signal: stopping.signal });
  let next = changes.next();
  const server = await startServer({
    database,
    flags: ['--setup', '--demo', ...flags],
    environment: { PRICES_URL: '', RATES_URL: '', ENCRYPTION_KEY: '' },
    runner: alone,
  });
  while (!(await isOver(database, server.pid))) {
    await next;
    next = changes.next();
  }
  next.catch(() => undefined);
  stopping.abort();
  const attempts = attemptsOf(server.pid);
  await server.end('SIGTERM');
  // A busy machine may need longer than the eight seconds of an orderly end.
  const log = server.log().replace(/^Stopped without waiting .*\n$/m, '');
  return { attempts, log };
}

/** The jobs of a start that could read something, and the last ones. */
const awaited = ['sync', 'month ends', 'recurring suggestions', 'search'];

const haveJobsRun = (database: string): Promise<boolean> =>
  useStore(database, (store) =>
    store.read(function* () {
      for (const name of awaited) if ((yield* find(jobRuns, { name })) === undefined) return false;
      return true;
    }),
  );

const forgetRuns = (folder: string): Promise<unknown> =>
  useStore(join(folder, 'demo.db'), (store) =>
    store.write(function* () {
      for (const name of awaited) yield* deleteUnlogged(jobRuns, { name });
    }),
  );

test(
  'the demo opens no connection and looks up no name until a setting names a place',
  { skip },
  () =>
    inFolder(async (folder) => {
      assert.deepEqual(await runDemo(folder, [], haveJobsRun), { attempts: 0, log: '' });

      await forgetRuns(folder);
      const again = await runDemo(folder, ['--prices-url', 'off'], haveJobsRun);
      assert.equal(again.attempts, 0);
      assert.match(again.log, /^[^\n]*Prices of crypto are not read[^\n]*\n$/);

      const prices = ['--prices-url', 'https://prices.example'];
      const sent = await runDemo(folder, prices, async (_, pid) => attemptsOf(pid) > 0);
      assert.ok(sent.attempts > 0, 'these counters would show it');
      assert.doesNotMatch(sent.log, /stack|^\s+at /m);
    }),
);
