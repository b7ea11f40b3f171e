import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgresDatabase } from '../../packages/server/src/db/postgres/open.ts';
import { checkDatabase, type Engine } from '../../packages/server/src/main.ts';
import { ask, type Answer } from '../run/ask.ts';
import { addOwner, useStore, type Owner } from '../run/book.ts';
import { acceptedMs, type Check, type Outcome } from '../run/check.ts';
import { withPostgres } from '../run/engines.ts';
import { integerFrom, randomFrom } from '../run/random.ts';
import { startServer, type ServerProcess } from '../run/server-process.ts';
import { SyncedAccounts } from '../run/synced-accounts.ts';
import { DatabaseResponses } from '../run/database-responses.ts';
import { PostgresBlows, type Blow } from './postgres-blows.ts';
import { RepeatedImports } from './repeated-imports.ts';

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

/** Stops PostgreSQL immediately and kills its connections, under reads and writes of all kinds. */
export const check: Check = {
  id: 'F20',
  needs: ['postgres'],
  rounds: { short: 4, full: 100 },
  run: (rounds) =>
    withPostgres(async (url, postgres) => {
      const owner = await useStore(url, (store) => addOwner(store, 'owner'));
      const accounts = await SyncedAccounts.make(url, owner, writers);
      const store = await openPostgresDatabase({ url, ...importPool });
      const flags = ['--rate-limit', '1000000000/24h', '--log-level', 'fatal'];
      const { environment } = accounts;
      const server = await startServer({ database: url, flags, environment });
      const dealer = new PostgresBlows(postgres, url);
      try {
        return await new Shaking({
          ...{ server, dealer, owner, accounts, store },
          mostMs: acceptedMs(longestMs, check, rounds),
        }).run(rounds);
      } finally {
        await server.end('SIGKILL');
        await dealer.close();
        await store.close();
        await accounts.close();
      }
    }, careless),
};

interface Shaken {
  readonly server: ServerProcess;
  readonly dealer: PostgresBlows;
  readonly owner: Owner;
  readonly accounts: SyncedAccounts;
  readonly store: Engine;
  /** The longest that a request may take, and that a fault may last after its cause. */
  readonly mostMs: number;
}

/** The load, and the faults of its database. */
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
    this.#imports = new RepeatedImports(shaken.store, shaken.owner.bookId);
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
    const { server, owner } = this.#shaken;
    return ask(server.url + path, { token: owner.token, agent: this.#agent });
  }

  /**
   * Refreshes of one account run one at a time, so that their order is known. The account is read first, because the
   * next reading would hide the loss of the last one.
   */
  #write(lane: number): Promise<Answer> {
    const { server, accounts } = this.#shaken;
    const before = this.#refreshing.get(lane) ?? Promise.resolve();
    const refreshed = before.then(async () => {
      const shown = await accounts.look(server.url, lane);
      if (shown.status !== 200) return shown;
      const answer = await accounts.refresh(server.url, lane);
      if (answer.status === 200) this.#refreshed += 1;
      return answer;
    });
    this.#refreshing.set(
      lane,
      refreshed.catch(() => undefined),
    );
    return refreshed;
  }

  async #examine(): Promise<void> {
    const { server, accounts, store } = this.#shaken;
    const code = await server.end('SIGTERM');
    if (code !== 0) this.#problems.push(`the server ended with ${code}`);
    const balances = await accounts.compare();
    const imports = await this.#imports.compare();
    const wrong = balances.lost + balances.half + imports.lost + imports.half;
    if (wrong > 0)
      this.#problems.push(
        `${balances.lost} readings and ${imports.lost} imports are lost, ${balances.half} and ${imports.half} are partial or doubled`,
      );
    const findings = await checkDatabase(store, { repair: false });
    this.#problems.push(...findings.map(({ check, detail }) => `${check}: ${detail}`));
    this.#problems.push(...this.#answers.problems, ...this.#imports.problems);
    if (this.#answers.refused === 0)
      this.#problems.push('nothing was refused: no fault had an effect');
    if (this.#imports.slowestMs > this.#shaken.mostMs)
      this.#problems.push(`an import took ${Math.round(this.#imports.slowestMs)} ms`);
  }

  #figure(): string {
    const { succeeded, refused, slowestMs } = this.#answers;
    const imports = `${this.#imports.acknowledged} imports (${this.#imports.repetitions} sent again)`;
    const writes = `${this.#refreshed} refreshes and ${imports} acknowledged`;
    return (
      `${this.#strikes} faults: ${succeeded} requests succeeded, ${refused} got 503 (slowest ${Math.round(slowestMs)} ms), ${writes}, ` +
      `${this.#problems.length} wrong; works again after ${Math.round(this.#slowestReturnMs)} ms`
    );
  }
}
