import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgresDatabase } from '../../packages/server/src/db/postgres/open.ts';
import type { ImportEntry } from '../../packages/server/src/imports/entry.ts';
import {
  linkCryptoAccount,
  unlinkCryptoAccount,
} from '../../packages/server/src/sync/crypto/actions.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import { ask } from '../../test/service/ask.ts';
import { addOwner, useStore, type Owner } from '../../test/service/owners.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { useServers, type ServerProcess } from '../../test/service/server-process.ts';
import { inLanes, joined, named, type Check, type Outcome } from '../run/check.ts';
import { onEachEngine, type EngineName } from '../run/engines.ts';
import { entryOf, importInto } from '../../test/service/imported.ts';
import { batchOf, payeeOf } from '../run/ledger.ts';

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
    // A file has one server at a time.
    const nodes = Array.from({ length: engine === 'SQLite' ? 1 : 2 }, () => ({ database, flags }));
    return useServers(nodes, async (servers) => {
      const reader = makeReader(servers, owner, writers);
      const writing = writers.work();
      const reading = reader.walkOften(walks).finally(() => writers.end());
      await Promise.all([reading, writing]);
      const history = new SnapshotHistory(writers.acknowledged, await reader.readRows());
      reader.close();
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

/** Walks alternate between the nodes. */
function makeReader(nodes: readonly ServerProcess[], owner: Owner, writers: SnapshotWriters) {
  const pages: SeenPage[] = [];
  const agent = new Agent({ keepAlive: true });
  let asked = 0;
  const read = async (filter: ListFilter, limit: number, offset: number): Promise<WirePage> => {
    const { url } = nodes[(asked += 1) % nodes.length]!;
    const all = Object.entries({ ...filter, limit, offset }).map((pair) => pair.join('='));
    const target = `${url}/v2/transactions?${all.join('&')}`;
    const { status, text } = await ask(target, { token: owner.token, agent });
    if (status !== 200) throw new Error(`${target} returned ${status}: ${text}`);
    return JSON.parse(text) as WirePage;
  };
  /** Returns every row of the book with its import; rows of no import get batch 0. */
  const readRows = async (): Promise<WrittenRow[]> => {
    const rows: WireRow[] = [];
    for (let hasMore = true; hasMore;) {
      const page = await read({}, 1000, rows.length);
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
  };
  const walk = async (filter: ListFilter, random: Random): Promise<void> => {
    // About five rows per import; the whole list has two to twelve pages.
    const wanted = Math.round((writers.acknowledged.length * 5) / integerFrom(random, 2, 12));
    const limit = Math.min(mostRows, Math.max(1, wanted));
    for (let offset = 0; offset < mostPages * limit; offset += limit) {
      const beganAtMs = performance.now();
      const page = await read(filter, limit, offset);
      const ids = page.transactions.map(({ id }) => id);
      const seen = { filter, limit, offset, beganAtMs, endedAtMs: performance.now() };
      pages.push({ ...seen, ids, hasMore: page.has_more });
      writers.notePage();
      if (!page.has_more) return;
    }
  };
  const walkOften = async (walks: number): Promise<void> => {
    const rows = await readRows();
    const random = randomFrom(seed);
    await inLanes(readers, walks, () => walk(someFilter(random, rows), random));
  };
  return { pages, readRows, walkOften, close: () => agent.destroy() };
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

const mostRowsOfImport = 9;
/** Writers wait for readers, so that both progress on any machine. */
const mostPagesBetween = 40;
const longestPauseMs = 1000;
const pollMs = 2;
/** Few, so that every page has rows of many imports. */
const days = 12;
const accounts = ['Cash', 'Bank'];
const categories = ['Food', 'Rent', 'Fun'];

type Task = (random: Random) => Promise<void>;

function dayOf(n: number): string {
  return `2024-${n % 2 === 0 ? '02' : '03'}-${String(1 + n).padStart(2, '0')}`;
}

type SnapshotWriters = Awaited<ReturnType<typeof makeSnapshotWriters>>;

/**
 * Twenty writers: fourteen import batches into the book that is read, two do so and roll back, one is refused at its
 * last row, two import into another book, and one changes the book without changing its rows. First they create the
 * accounts and categories, which filter the lists.
 */
async function makeSnapshotWriters(store: Engine, bookId: number, otherBookId: number) {
  const acknowledged: WrittenBatch[] = [];
  let [lastBatch, pagesRead] = [0, 0];
  const over = new AbortController();
  const importOne: Task = async (random) => {
    lastBatch += 1;
    const batch = lastBatch;
    const entries = entriesOf(payeeOf(batch), random);
    const beganAtMs = performance.now();
    await importInto(store, bookId, entries);
    const acknowledgedAtMs = performance.now();
    acknowledged.push({ batch, rowCount: entries.length, beganAtMs, acknowledgedAtMs });
  };
  const takeBack: Task = async (random) => {
    await importInto(store, bookId, entriesOf('Taken back', random), { dryRun: true });
  };
  const beRefused: Task = async (random) => {
    const entries = entriesOf('Refused', random);
    entries.push({ ...entries[0]!, line: entries.length + 1, currency: 'qqq' });
    const outcome = await importInto(store, bookId, entries).catch((error: unknown) => error);
    if (!(outcome instanceof Error) || outcome.name !== 'ImportRefusedError')
      throw new Error('An import with an unknown currency was not refused', { cause: outcome });
  };
  const importElsewhere: Task = async (random) => {
    await importInto(store, otherBookId, entriesOf('Elsewhere', random));
  };
  const changeVersion: Task = async () => {
    const account = { provider: 'kraken', display_name: null } as const;
    const whole = { ...account, sealed_credentials: new Uint8Array(1) };
    await unlinkCryptoAccount(store, bookId, await linkCryptoAccount(store, bookId, whole));
  };
  const pause = async (pages: number): Promise<void> => {
    const enough = pagesRead + pages;
    const deadlineMs = performance.now() + longestPauseMs;
    while (!over.signal.aborted && pagesRead < enough && performance.now() < deadlineMs)
      await wait(pollMs);
  };
  const repeat = async (task: Task, random: Random): Promise<void> => {
    while (!over.signal.aborted) {
      await task(random);
      await pause(integerFrom(random, 1, mostPagesBetween));
    }
  };
  const first = randomFrom(0);
  for (let n = 0; n < accounts.length * categories.length; n += 1) await importOne(first);
  return {
    acknowledged,
    /** Writes until the end. Rejects when a valid write fails or an invalid one succeeds. */
    work: async () => {
      const tasks = [
        ...Array.from({ length: 14 }, () => importOne),
        takeBack,
        takeBack,
        beRefused,
        importElsewhere,
        importElsewhere,
        changeVersion,
      ];
      await Promise.all(tasks.map((task, n) => repeat(task, randomFrom(n + 1))));
    },
    end: () => over.abort(),
    notePage: () => void (pagesRead += 1),
  };
}

function entriesOf(payee: string, random: Random): ImportEntry[] {
  const pick = <T>(from: readonly T[]): T => from[integerFrom(random, 0, from.length - 1)]!;
  return Array.from({ length: integerFrom(random, 2, mostRowsOfImport) }, (_, index) =>
    entryOf({
      line: index + 1,
      date: dayOf(integerFrom(random, 0, days - 1)),
      amount: -10_000 * (index + 1),
      payee,
      category: pick(categories),
      account: pick(accounts),
    }),
  );
}

interface WrittenRow {
  readonly id: number;
  readonly batch: number;
  readonly date: string;
  readonly accountId: number | null;
  readonly categoryId: number | null;
}

/** An acknowledged import, with times of the clock of the check. */
interface WrittenBatch {
  readonly batch: number;
  readonly rowCount: number;
  readonly beganAtMs: number;
  readonly acknowledgedAtMs: number;
}

interface ListFilter {
  readonly start_date?: string;
  readonly end_date?: string;
  readonly manual_account_id?: number;
  readonly category_id?: number;
}

interface SeenPage {
  readonly filter: ListFilter;
  readonly limit: number;
  readonly offset: number;
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  readonly ids: readonly number[];
  readonly hasMore: boolean;
}

/**
 * The states of a book while imports wrote to it one after another: one state after each import. Every page must show
 * one of these states. The ids of the rows give the order of the imports.
 */
class SnapshotHistory {
  readonly #batches: readonly WrittenBatch[];
  /** Every stored row, in the order of the list, with the number of its first state, from 1. */
  readonly #rows: readonly (WrittenRow & { readonly state: number })[];

  constructor(batches: readonly WrittenBatch[], rows: readonly WrittenRow[]) {
    const firstIds = new Map<number, number>();
    for (const { batch, id } of rows)
      firstIds.set(batch, Math.min(id, firstIds.get(batch) ?? Infinity));
    const firstId = ({ batch }: { batch: number }): number => firstIds.get(batch) ?? Infinity;
    this.#batches = batches.toSorted((a, b) => firstId(a) - firstId(b));
    const states = new Map(this.#batches.map(({ batch }, index) => [batch, index + 1]));
    this.#rows = rows
      .map((row) => ({ ...row, state: states.get(row.batch) ?? Infinity }))
      .toSorted((a, b) => (a.date === b.date ? b.id - a.id : a.date < b.date ? 1 : -1));
  }

  /** Returns the problems of the final book: rows of no acknowledged import, and partial imports. */
  problems(): string[] {
    const counts = new Map<number, number>();
    for (const { batch } of this.#rows) counts.set(batch, (counts.get(batch) ?? 0) + 1);
    const kept = new Set(this.#batches.map(({ batch }) => batch));
    const strange = this.#rows.filter(({ batch }) => !kept.has(batch));
    return [
      ...strange.map(({ id }) => `the book has row ${id} of no acknowledged import`),
      ...this.#batches
        .filter(({ batch, rowCount }) => counts.get(batch) !== rowCount)
        .map(({ batch }) => `import ${batch} has ${counts.get(batch) ?? 0} rows in the book`),
    ];
  }

  /** Returns the problem of a page; null when it shows one state that the book had during the request. */
  problemOf(page: SeenPage): string | null {
    const known = new Set(this.#rows.map(({ id }) => id));
    const unknown = page.ids.filter((id) => !known.has(id));
    if (unknown.length > 0) return `has rows of no acknowledged import: ${unknown.join(', ')}`;
    const { oldest, newest } = this.#statesOf(page);
    for (let state = newest; state >= oldest; state -= 1) if (this.#isOf(page, state)) return null;
    return `shows none of the possible states ${oldest} to ${newest}: ${page.ids.join(', ')} (${page.hasMore})`;
  }

  /** A page includes imports acknowledged before the request, and excludes imports that began after the response. */
  #statesOf({ beganAtMs, endedAtMs }: SeenPage): { oldest: number; newest: number } {
    const isBefore = (each: WrittenBatch): boolean => each.acknowledgedAtMs < beganAtMs;
    const isAfter = (each: WrittenBatch): boolean => each.beganAtMs > endedAtMs;
    const after = this.#batches.findIndex(isAfter);
    return {
      oldest: this.#batches.findLastIndex(isBefore) + 1,
      newest: after === -1 ? this.#batches.length : after,
    };
  }

  #isOf({ filter, limit, offset, ids, hasMore }: SeenPage, state: number): boolean {
    const end = offset + limit;
    let count = 0;
    for (const row of this.#rows) {
      if (row.state > state || !matches(row, filter)) continue;
      if (count === end) return hasMore && ids.length === limit;
      if (count >= offset && ids[count - offset] !== row.id) return false;
      count += 1;
    }
    return !hasMore && ids.length === Math.max(0, count - offset);
  }
}

function matches(row: WrittenRow, filter: ListFilter): boolean {
  const { start_date = '', end_date = '9999-12-31' } = filter;
  const { manual_account_id: accountId, category_id: categoryId } = filter;
  if (row.date < start_date || row.date > end_date) return false;
  if (accountId !== undefined && row.accountId !== accountId) return false;
  return categoryId === undefined || row.categoryId === categoryId;
}
