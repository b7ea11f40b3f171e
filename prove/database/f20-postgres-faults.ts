import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import sql, { type Sql } from 'sql-template-tag';
import { rows, type Engine } from '../../packages/server/src/db/engine.ts';
import { isDatabaseError } from '../../packages/server/src/db/errors.ts';
import { openPostgresDatabase } from '../../packages/server/src/db/postgres/open.ts';
import { openPostgres } from '../../packages/server/src/db/postgres/postgres.ts';
import type { PostgresServer } from '../../packages/server/src/db/testing/postgres-server.ts';
import type { ImportEntry } from '../../packages/server/src/imports/entry.ts';
import { checkDatabase } from '../../packages/server/src/maintenance/doctor.ts';
import { ask, type Answer } from '../../test/service/ask.ts';
import { integerFrom, randomFrom } from '../../test/service/random.ts';
import { withSynced, type ServerProcess, type Synced } from '../../test/service/server-process.ts';
import { acceptedMs, timed, type Check, type Outcome } from '../run/check.ts';
import { DatabaseResponses } from '../run/database-responses.ts';
import { withPostgres } from '../run/engines.ts';
import { entryOf, importInto } from '../../test/service/imported.ts';
import { lossProblems, sumOfLosses, batchesIn, Ledger, payeeOf } from '../run/ledger.ts';

const seed = 20;
const longestMs = 5000;
const readers = 4;
const writers = 4;
const pauseMs = 10;
const paths = ['/v2/me', '/v2/transactions?limit=50', '/v2/categories', '/v2/crypto/synced'];
/** The timeouts of a server; two connections are enough for one lane of imports. */
const importPool = {
  poolSize: 2,
  maxWaiting: 10,
  connectTimeoutMs: 1500,
  statementTimeoutMs: 3000,
};
/** With this setting an immediate stop loses acknowledged commits, unless Coffer overrides it. */
const careless = { synchronous_commit: 'off' };
const flags = ['--rate-limit', '1000000000/24h', '--log-level', 'fatal'];

export const check: Check = {
  id: 'F20',
  needs: ['postgres'],
  rounds: { short: 4, full: 100 },
  run: (rounds) =>
    withPostgres(
      (url, postgres) =>
        withSynced({ database: url, flags }, writers, async (synced) => {
          const store = await openPostgresDatabase({ url, ...importPool });
          const dealer = openBlows(postgres, url);
          try {
            return await synced.serve((server) => shake({ server, dealer, synced, store }, rounds));
          } finally {
            await dealer.close();
            await store.close();
          }
        }),
      careless,
    ),
};

interface Shaken {
  readonly server: ServerProcess;
  readonly dealer: ReturnType<typeof openBlows>;
  readonly synced: Synced;
  readonly store: Engine;
}

async function shake({ server, dealer, synced, store }: Shaken, rounds: number): Promise<Outcome> {
  const { owner, accounts } = synced;
  const random = randomFrom(seed);
  /** The longest that a request may take, and that a fault may last after its cause. */
  const mostMs = acceptedMs(longestMs, check, rounds);
  const answers = new DatabaseResponses(mostMs);
  const { problems } = answers;
  const over = new AbortController();
  const imports = startImports(store, owner.bookId, over.signal, problems);
  const agent = new Agent({ keepAlive: true });
  let [strikes, slowestReturnMs] = [0, 0];
  const read = (path: string): Promise<Answer> =>
    ask(server.url + path, { token: owner.token, agent });
  const { write, counts } = makeRefreshes(synced, server.url);
  const strike = async (blow: Blow): Promise<void> => {
    strikes += 1;
    await dealer.deal(blow);
    const backAtMs = performance.now();
    for (const [what, send] of [
      ['a read', () => read(paths[1]!)],
      ['a write', () => write(strikes % writers)],
    ] as const) {
      let isBack = await answers.time(what, send);
      while (!isBack && performance.now() - backAtMs <= mostMs) {
        await wait(pauseMs);
        isBack = await answers.time(what, send);
      }
      if (!isBack) problems.push(`fault ${strikes} (${blow}): ${what} still fails`);
    }
    slowestReturnMs = Math.max(slowestReturnMs, performance.now() - backAtMs);
  };
  const repeat = async (what: string, send: (n: number) => Promise<Answer>): Promise<void> => {
    for (let n = 0; !over.signal.aborted; n += 1) {
      await answers.time(what, () => send(n));
      await wait(pauseMs);
    }
  };
  const load = [
    ...Array.from({ length: readers }, (_, lane) =>
      repeat('a read', (n) => read(paths[(lane + n) % paths.length]!)),
    ),
    ...Array.from({ length: writers }, (_, lane) => repeat('a refresh', () => write(lane))),
  ];
  for (let round = 0; round < rounds; round += 1) {
    await wait(integerFrom(random, 50, 250));
    // Half of the rounds stop the server; the others end connections by command and by SIGKILL in turn.
    await strike(round % 2 === 0 ? 'stop' : round % 4 === 1 ? 'terminate' : 'kill');
    if (round % 10 === 9) await strike('freeze');
  }
  over.abort();
  await Promise.all([...load, imports.done]);
  agent.destroy();
  const code = await server.end('SIGTERM');
  if (code !== 0) problems.push(`the server ended with ${code}`);
  const found = imports.ledger.compare(await batchesIn(store, owner.bookId));
  problems.push(
    ...lossProblems(sumOfLosses(await accounts.compare(), found), 'readings or imports'),
  );
  const findings = await checkDatabase(store, { repair: false });
  problems.push(...findings.map((finding) => `${finding.check}: ${finding.detail}`));
  if (answers.refused === 0) problems.push('nothing was refused: no fault had an effect');
  if (imports.slowestMs > mostMs)
    problems.push(`an import took ${Math.round(imports.slowestMs)} ms`);
  const figure =
    `${strikes} faults: ${answers.succeeded} requests succeeded, ${answers.refused} got 503 ` +
    `(slowest ${Math.round(answers.slowestMs)} ms), ${counts.refreshed} refreshes and ${imports.ledger.acknowledged.size} imports ` +
    `(${imports.repetitions} sent again) acknowledged, ${problems.length} wrong; ` +
    `works again after ${Math.round(slowestReturnMs)} ms`;
  return { figure, problems };
}

/**
 * Refreshes of one account run one at a time, so that their order is known. The account is read first, because the
 * next reading would hide the loss of the last one.
 */
function makeRefreshes({ accounts }: Synced, url: string) {
  const refreshing = new Map<number, Promise<unknown>>();
  const counts = { refreshed: 0 };
  const write = (lane: number): Promise<Answer> => {
    const before = refreshing.get(lane) ?? Promise.resolve();
    const done = before.then(async () => {
      const shown = await accounts.look(url, lane);
      if (shown.status !== 200) return shown;
      const answer = await accounts.refresh(url, lane);
      if (answer.status === 200) counts.refreshed += 1;
      return answer;
    });
    const settled = done.catch(() => undefined);
    refreshing.set(lane, settled);
    return done;
  };
  return { write, counts };
}

type Blow = 'stop' | 'terminate' | 'kill' | 'freeze';

const awayMs = 300;
/** Longer than any request waits. */
const frozenMs = 4000;
const recoveryTimeoutMs = 30_000;

/** Causes faults of a server from a separate connection, which is not affected by them. */
function openBlows(server: PostgresServer, url: string) {
  const pool = { poolSize: 1, maxWaiting: 1, connectTimeoutMs: 5000, statementTimeoutMs: 5000 };
  const engine = openPostgres({ url, ...pool });
  const read = (statement: Sql) => engine.read(() => rows<{ pid: number }>(statement));
  const others = sql`pg_stat_activity WHERE application_name = 'coffer' AND pid <> pg_backend_pid()`;
  const blows: Readonly<Record<Blow, () => Promise<unknown>>> = {
    // Nothing is finished or written, and the next start recovers.
    stop: async () => {
      const stopped = once(server.process, 'exit');
      server.process.kill('SIGQUIT');
      await stopped;
      await wait(awayMs);
      await server.restart();
    },
    terminate: () => read(sql`SELECT pg_terminate_backend(pid)::text AS done FROM ${others}`),
    // The server then ends all connections and recovers.
    kill: async () => {
      const busy = sql`SELECT pid FROM ${others} ORDER BY (state = 'active') DESC LIMIT 1`;
      for (const { pid } of await read(busy)) process.kill(pid, 'SIGKILL');
      await wait(awayMs);
    },
    // As when its machine swaps or its disk hangs.
    freeze: async () => {
      const backends = await read(sql`SELECT pid FROM pg_stat_activity`);
      const pids = [server.process.pid!, ...backends.map(({ pid }) => pid)];
      for (const signal of ['SIGSTOP', 'SIGCONT'] as const) {
        for (const pid of pids)
          try {
            process.kill(pid, signal);
          } catch {
            // It has ended.
          }
        if (signal === 'SIGSTOP') await wait(frozenMs);
      }
    },
  };
  return {
    /** Causes a fault and resolves when the server responds again. */
    deal: async (blow: Blow) => {
      await blows[blow]();
      const deadlineMs = performance.now() + recoveryTimeoutMs;
      for (let isBack = false; !isBack;)
        isBack = await read(sql`SELECT 1 AS pid`).then(
          () => true,
          async (error: unknown) => {
            if (performance.now() > deadlineMs) throw error;
            await wait(10);
            return false;
          },
        );
    },
    close: () => engine.close(),
  };
}

const rowCount = 20;
const importPauseMs = 20;

/** Repeats each import until it is acknowledged; its rows must be stored only once. */
function startImports(store: Engine, bookId: number, over: AbortSignal, problems: string[]) {
  const counts = { repetitions: 0, slowestMs: 0 };
  const ledger = new Ledger();
  const isStored = async (batch: number): Promise<boolean> => {
    const importing = importInto(store, bookId, entriesOf(batch), { defaultAccount: 'Bank' });
    const [ms, error] = await timed(() =>
      importing.then(
        () => null,
        (reason: unknown) => reason,
      ),
    );
    counts.slowestMs = Math.max(counts.slowestMs, ms);
    if (error !== null && !isDatabaseError(error, 'busy') && !isDatabaseError(error, 'unavailable'))
      problems.push(`an import failed: ${(error as Error).message}`);
    return error === null;
  };
  const work = async (): Promise<void> => {
    while (!over.aborted) {
      const batch = ledger.send(rowCount);
      while (!(await isStored(batch))) {
        counts.repetitions += 1;
        await wait(importPauseMs);
      }
      ledger.acknowledge(batch);
      await wait(importPauseMs);
    }
  };
  return Object.assign(counts, { ledger, done: work() });
}

/** Each batch has its own months, so that the search for duplicates is fast. */
function entriesOf(batch: number): ImportEntry[] {
  const year = String(1000 + (batch % 9000));
  return Array.from({ length: rowCount }, (_, index) =>
    entryOf({
      line: index + 1,
      date: `${year}-${String(1 + ((index + 1) % 3)).padStart(2, '0')}-15`,
      amount: -10_000 * (index + 1),
      payee: payeeOf(batch),
    }),
  );
}
