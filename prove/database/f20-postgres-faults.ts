import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import sql, { type Sql } from 'sql-template-tag';
import { rows } from '../../packages/server/src/db/engine.ts';
import { isDatabaseError } from '../../packages/server/src/db/errors.ts';
import { openPostgresDatabase } from '../../packages/server/src/db/postgres/open.ts';
import { openPostgres } from '../../packages/server/src/db/postgres/postgres.ts';
import type { PostgresServer } from '../../packages/server/src/db/testing/postgres-server.ts';
import type { ImportEntry } from '../../packages/server/src/imports/entry.ts';
import { checkDatabase, type Engine } from '../../packages/server/src/main.ts';
import { ask, type Answer } from '../../test/service/ask.ts';
import { integerFrom, randomFrom } from '../../test/service/random.ts';
import { withSynced, type ServerProcess, type Synced } from '../../test/service/server-process.ts';
import { acceptedMs, timed, type Check, type Outcome } from '../run/check.ts';
import { DatabaseResponses } from '../run/database-responses.ts';
import { withPostgres } from '../run/engines.ts';
import {
  lossProblems,
  sumOfLosses,
  batchesIn,
  entryOf,
  importInto,
  Ledger,
  payeeOf,
  type Losses,
} from '../run/ledger.ts';

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
          const mostMs = acceptedMs(longestMs, check, rounds);
          try {
            return await synced.serve((server) =>
              new Shaking({ server, dealer, synced, store, mostMs }).run(rounds),
            );
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
  /** The longest that a request may take, and that a fault may last after its cause. */
  readonly mostMs: number;
}

class Shaking {
  readonly #shaken: Shaken;
  readonly #answers: DatabaseResponses;
  readonly #imports: RepeatedImports;
  readonly #problems: string[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #refreshing = new Map<number, Promise<unknown>>();
  #refreshed = 0;
  #strikes = 0;
  #isOver = false;
  #slowestReturnMs = 0;

  constructor(shaken: Shaken) {
    this.#shaken = shaken;
    this.#answers = new DatabaseResponses(shaken.mostMs);
    this.#imports = new RepeatedImports(shaken.store, shaken.synced.owner.bookId);
  }

  async run(rounds: number): Promise<Outcome> {
    const random = randomFrom(seed);
    const load = [
      this.#imports.work(),
      ...Array.from({ length: readers }, (_, lane) => this.#readOnAndOn(lane)),
      ...Array.from({ length: writers }, (_, lane) => this.#writeOnAndOn(lane)),
    ];
    for (let round = 0; round < rounds; round += 1) {
      await wait(integerFrom(random, 50, 250));
      // Half of the rounds stop the server; the others end connections by command and by SIGKILL in turn.
      await this.#strike(round % 2 === 0 ? 'stop' : round % 4 === 1 ? 'terminate' : 'kill');
      if (round % 10 === 9) await this.#strike('freeze');
    }
    this.#isOver = true;
    this.#imports.end();
    await Promise.all(load);
    this.#agent.destroy();
    await this.#examine();
    return { figure: this.#figure(), problems: this.#problems };
  }

  async #strike(blow: Blow): Promise<void> {
    this.#strikes += 1;
    await this.#shaken.dealer.deal(blow);
    const backAtMs = performance.now();
    for (const [what, question] of [
      ['a read', () => this.#read(paths[1]!)],
      ['a write', () => this.#write(this.#strikes % writers)],
    ] as const) {
      while (!(await this.#answers.time(what, question))) {
        if (performance.now() - backAtMs > this.#shaken.mostMs) {
          this.#problems.push(`fault ${this.#strikes} (${blow}): ${what} still fails`);
          break;
        }
        await wait(pauseMs);
      }
    }
    this.#slowestReturnMs = Math.max(this.#slowestReturnMs, performance.now() - backAtMs);
  }

  async #readOnAndOn(lane: number): Promise<void> {
    for (let n = lane; !this.#isOver; n += 1) {
      const path = paths[n % paths.length]!;
      await this.#answers.time(path, () => this.#read(path));
      await wait(pauseMs);
    }
  }

  async #writeOnAndOn(lane: number): Promise<void> {
    while (!this.#isOver) {
      await this.#answers.time('a refresh', () => this.#write(lane));
      await wait(pauseMs);
    }
  }

  #read(path: string): Promise<Answer> {
    const { server, synced } = this.#shaken;
    return ask(server.url + path, { token: synced.owner.token, agent: this.#agent });
  }

  /**
   * Refreshes of one account run one at a time, so that their order is known. The account is read first, because the
   * next reading would hide the loss of the last one.
   */
  #write(lane: number): Promise<Answer> {
    const { server, synced } = this.#shaken;
    const before = this.#refreshing.get(lane) ?? Promise.resolve();
    const refreshed = before.then(async () => {
      const shown = await synced.accounts.look(server.url, lane);
      if (shown.status !== 200) return shown;
      const answer = await synced.accounts.refresh(server.url, lane);
      if (answer.status === 200) this.#refreshed += 1;
      return answer;
    });
    const settled = refreshed.catch(() => undefined);
    this.#refreshing.set(lane, settled);
    return refreshed;
  }

  async #examine(): Promise<void> {
    const { server, synced, store, mostMs } = this.#shaken;
    const code = await server.end('SIGTERM');
    if (code !== 0) this.#problems.push(`the server ended with ${code}`);
    const losses = sumOfLosses(await synced.accounts.compare(), await this.#imports.compare());
    const findings = await checkDatabase(store, { repair: false });
    this.#problems.push(
      ...lossProblems(losses, 'readings or imports'),
      ...findings.map((finding) => `${finding.check}: ${finding.detail}`),
      ...this.#answers.problems,
      ...this.#imports.problems,
    );
    if (this.#answers.refused === 0)
      this.#problems.push('nothing was refused: no fault had an effect');
    if (this.#imports.slowestMs > mostMs)
      this.#problems.push(`an import took ${Math.round(this.#imports.slowestMs)} ms`);
  }

  #figure(): string {
    const { succeeded, refused, slowestMs } = this.#answers;
    const { ledger, repetitions } = this.#imports;
    const imports = `${ledger.acknowledged.size} imports (${repetitions} sent again)`;
    const writes = `${this.#refreshed} refreshes and ${imports} acknowledged`;
    return (
      `${this.#strikes} faults: ${succeeded} requests succeeded, ${refused} got 503 (slowest ${Math.round(slowestMs)} ms), ${writes}, ` +
      `${this.#problems.length} wrong; works again after ${Math.round(this.#slowestReturnMs)} ms`
    );
  }
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
        for (const pid of pids) trySignal(pid, signal);
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

function trySignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

const rowCount = 20;
const importPauseMs = 20;

/** Repeats each import until it is acknowledged; its rows must be stored only once. */
class RepeatedImports {
  readonly #store: Engine;
  readonly #bookId: number;
  readonly ledger = new Ledger();
  /** Errors of imports other than a busy or unreachable database. */
  readonly problems: string[] = [];
  repetitions = 0;
  slowestMs = 0;
  #isOver = false;

  constructor(store: Engine, bookId: number) {
    this.#store = store;
    this.#bookId = bookId;
  }

  async work(): Promise<void> {
    while (!this.#isOver) {
      const batch = this.ledger.send(rowCount);
      while (!(await this.#isStored(batch))) {
        this.repetitions += 1;
        await wait(importPauseMs);
      }
      this.ledger.acknowledge(batch);
      await wait(importPauseMs);
    }
  }

  end(): void {
    this.#isOver = true;
  }

  async compare(): Promise<Losses> {
    return this.ledger.compare(await batchesIn(this.#store, this.#bookId));
  }

  async #isStored(batch: number): Promise<boolean> {
    const importing = (): Promise<unknown> =>
      importInto(this.#store, this.#bookId, entriesOf(batch), { defaultAccount: 'Bank' });
    const [ms, error] = await timed(() =>
      importing().then(
        () => null,
        (reason: unknown) => reason,
      ),
    );
    this.slowestMs = Math.max(this.slowestMs, ms);
    if (error === null) return true;
    if (!isDatabaseError(error, 'busy') && !isDatabaseError(error, 'unavailable'))
      this.problems.push(`an import failed: ${(error as Error).message}`);
    return false;
  }
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
