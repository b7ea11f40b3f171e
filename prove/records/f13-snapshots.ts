import { Agent } from 'node:http';
import type { Engine } from '../../packages/server/src/main.ts';
import { openPostgresDatabase } from '../../packages/server/src/db/postgres/open.ts';
import { ask } from '../../test/service/ask.ts';
import { addOwner, useStore, type Owner } from '../../test/service/owners.ts';
import { joined, named, type Check, type Outcome } from '../run/check.ts';
import { onEachEngine, type EngineName } from '../run/engines.ts';
import { batchOf } from '../run/ledger.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { useServers, type ServerProcess } from '../../test/service/server-process.ts';
import {
  SnapshotHistory,
  type ListFilter,
  type SeenPage,
  type WrittenRow,
} from './snapshot-history.ts';
import { dayOf, makeSnapshotWriters, type SnapshotWriters } from './snapshot-writers.ts';

const seed = 13;
const readers = 4;
const flags = ['--rate-limit', '1000000000/24h'];
const mostPages = 100;
const mostRows = 2000;
/** One connection for each writer, so that all of them write concurrently where the engine allows it. */
const writerPool = {
  poolSize: 20,
  maxWaiting: 100,
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 0,
};

/** Walks lists while writers run, and then compares every page with the states of the book. */
export const check: Check = {
  id: 'F13',
  needs: ['postgres'],
  rounds: { short: 4, full: 300 },
  run: async (walks) =>
    joined(
      await onEachEngine((engine, database) => walkBeside(engine, database, walks)),
      ` (seed ${seed})`,
    ),
};

function walkBeside(engine: EngineName, database: string, walks: number): Promise<Outcome> {
  return useWriterStore(engine, database, async (store) => {
    const owner = await addOwner(store, 'owner');
    const other = await addOwner(store, 'other');
    const writers = await makeSnapshotWriters(store, owner.bookId, other.bookId);
    // Where several nodes can serve one database, walks alternate between them.
    const nodes = Array.from({ length: engine === 'SQLite' ? 1 : 2 }, () => ({ database, flags }));
    return useServers(nodes, async (servers) => {
      const reader = new SnapshotReader(servers, owner, writers);
      const writing = writers.work();
      const reading = reader.walkOften(walks).finally(() => writers.end());
      await Promise.all([reading, writing]);
      const history = new SnapshotHistory(writers.acknowledged, await reader.readRows());
      const wrongPages = reader.pages.flatMap((page) => {
        const problem = history.problemOf(page);
        return problem === null ? [] : [`the page ${JSON.stringify(page.filter)} ${problem}`];
      });
      const imports = `${writers.acknowledged.length} imports`;
      const pages = `${reader.pages.length} pages during ${imports}, ${wrongPages.length} wrong`;
      const problems = named(engine, [...history.problems(), ...wrongPages]);
      return { figure: `${engine}: ${walks} walks, ${pages}`, problems };
    });
  });
}

async function useWriterStore<T>(
  engine: EngineName,
  database: string,
  work: (store: Engine) => Promise<T>,
): Promise<T> {
  if (engine === 'SQLite') return useStore(database, work);
  const store = await openPostgresDatabase({ url: database, ...writerPool });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

interface WireRow {
  readonly id: number;
  readonly date: string;
  readonly payee: string;
  readonly manual_account_id: number | null;
  readonly category_id: number | null;
}

interface WirePage {
  readonly transactions: readonly WireRow[];
  readonly has_more: boolean;
}

class SnapshotReader {
  readonly pages: SeenPage[] = [];
  readonly #nodes: readonly ServerProcess[];
  readonly #owner: Owner;
  readonly #writers: SnapshotWriters;
  readonly #agent = new Agent({ keepAlive: true });
  #asked = 0;

  constructor(nodes: readonly ServerProcess[], owner: Owner, writers: SnapshotWriters) {
    this.#nodes = nodes;
    this.#owner = owner;
    this.#writers = writers;
  }

  async walkOften(walks: number): Promise<void> {
    const rows = await this.readRows();
    let left = walks;
    const lanes = Array.from({ length: readers }, async (_, lane) => {
      const random = randomFrom(seed + lane);
      while (left > 0) {
        left -= 1;
        await this.#walk(someFilter(random, rows), random);
      }
    });
    await Promise.all(lanes);
    this.#agent.destroy();
  }

  /** Returns every row of the book with its import; rows of no import get batch 0. */
  async readRows(): Promise<WrittenRow[]> {
    const rows: WireRow[] = [];
    for (let hasMore = true; hasMore;) {
      const page = await this.#read({}, 1000, rows.length);
      rows.push(...page.transactions);
      hasMore = page.has_more;
    }
    return rows.map((row) => ({
      id: row.id,
      batch: batchOf(row.payee) ?? 0,
      date: row.date,
      accountId: row.manual_account_id,
      categoryId: row.category_id,
    }));
  }

  async #walk(filter: ListFilter, random: Random): Promise<void> {
    // About five rows per import; the whole list has two to twelve pages.
    const rows = this.#writers.acknowledged.length * 5;
    const wanted = Math.round(rows / integerFrom(random, 2, 12));
    const limit = Math.min(mostRows, Math.max(1, wanted));
    for (let n = 0; n < mostPages; n += 1) {
      const offset = n * limit;
      const beganAtMs = performance.now();
      const page = await this.#read(filter, limit, offset);
      const ids = page.transactions.map(({ id }) => id);
      const seen = { filter, limit, offset, beganAtMs, endedAtMs: performance.now() };
      this.pages.push({ ...seen, ids, hasMore: page.has_more });
      this.#writers.notePage();
      if (!page.has_more) return;
    }
  }

  async #read(filter: ListFilter, limit: number, offset: number): Promise<WirePage> {
    this.#asked += 1;
    const { url } = this.#nodes[this.#asked % this.#nodes.length]!;
    const query = Object.entries({ ...filter, limit, offset }).map(
      ([name, value]) => `${name}=${value}`,
    );
    const asked = `${url}/v2/transactions?${query.join('&')}`;
    const { status, text } = await ask(asked, { token: this.#owner.token, agent: this.#agent });
    if (status !== 200) throw new Error(`${asked} returned ${status}: ${text}`);
    return JSON.parse(text) as WirePage;
  }
}

function someFilter(random: Random, rows: readonly WrittenRow[]): ListFilter {
  const some = rows[integerFrom(random, 0, rows.length - 1)]!;
  const byAccount = { manual_account_id: some.accountId! };
  const byCategory = { category_id: some.categoryId! };
  const filters: ListFilter[] = [
    {},
    { start_date: dayOf(2), end_date: dayOf(8) },
    byAccount,
    byCategory,
    { ...byAccount, ...byCategory, start_date: dayOf(4), end_date: '2024-12-31' },
  ];
  return filters[integerFrom(random, 0, filters.length - 1)]!;
}
