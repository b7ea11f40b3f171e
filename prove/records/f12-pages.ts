import { Agent } from 'node:http';
import * as fc from 'fast-check';
import sql from 'sql-template-tag';
import { rows, type Engine } from '../../packages/server/src/db/engine.ts';
import { findBooks } from '../../packages/server/src/identity/users/actions.ts';
import { fill, withIds } from '../../packages/server/src/pages/testing/filled-book.ts';
import { bookArbitrary, listModel } from '../../packages/server/src/pages/testing/page-model.ts';
import type { DemoBook, DemoTransaction } from '../../packages/server/src/demo/book/demo-book.ts';
import { maxLimit } from '../../packages/server/src/operations/limits.ts';
import { ask, type Question } from '../../test/service/ask.ts';
import { addOwner, useStore } from '../../test/service/owners.ts';
import { acceptedQuery, wireQuery } from '../../test/service/wild-book.ts';
import { named, type Check, type Outcome } from '../run/check.ts';
import { onEachEngine, type EngineName } from '../run/engines.ts';
import { useServer } from '../../test/service/server-process.ts';

const seed = 12;
const queriesPerBook = 50;
const flags = ['--rate-limit', '1000000000/24h'];
/** Every fifth book joins this many generated ones. In the full form its lists are longer than the largest page. */
const partsOfLargeBook = { short: 15, full: 150 };
const largeBookEvery = 5;
/** Small limits are raised for long lists, so that no walk has more pages. */
const mostPages = 40;

/** Walks generated books over HTTP, the same on both engines, and compares with a model that sorts an array. */
export const check: Check = {
  id: 'F12',
  needs: ['postgres'],
  rounds: { short: 15, full: 10_000 },
  async run(cases) {
    const walks = await onEachEngine((engine, database) => walkBooks(engine, database, cases));
    const problems = walks.flatMap((each) => each.problems);
    const figure = `on each engine ${walks[0]!.figure}; ${problems.length} wrong (seed ${seed})`;
    return { figure, problems };
  },
};

function walkBooks(engine: EngineName, database: string, cases: number): Promise<Outcome> {
  return useStore(database, (store) =>
    useServer({ database, flags }, async ({ url }) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 4 });
      const problems: string[] = [];
      const seen: Seen[] = [];
      for (let n = 0; n * queriesPerBook < cases; n += 1) {
        const book = bookOf(n, cases < check.rounds.full ? 'short' : 'full');
        const walker = { engine, store, url, agent, n, book, seen };
        problems.push(...named(engine, await walkBook(walker, Math.min(queriesPerBook, cases))));
      }
      agent.destroy();
      return { figure: figureOf(seen), problems };
    }),
  );
}

function bookOf(n: number, form: 'short' | 'full'): DemoBook {
  const numRuns = n % largeBookEvery === 0 ? partsOfLargeBook[form] : 1;
  const parts = fc.sample(bookArbitrary, { numRuns, seed: seed + n });
  const transactions: DemoTransaction[] = [];
  for (const part of parts) {
    const first = transactions.length;
    const moved = (parent: number | null): number | null =>
      parent === null ? null : parent + first;
    for (const row of part.transactions)
      transactions.push({
        ...row,
        splitParent: moved(row.splitParent),
        groupParent: moved(row.groupParent),
      });
  }
  return { ...parts[0]!, transactions };
}

interface Seen {
  readonly limit: number;
  readonly pages: number;
  readonly rows: number;
}

function figureOf(seen: readonly Seen[]): string {
  const of = (name: keyof Seen): number[] => seen.map((each) => each[name]);
  const pages = of('pages').reduce((sum, each) => sum + each, 0);
  const limits = `${Math.min(...of('limit'))} to ${Math.max(...of('limit'))}`;
  return `${seen.length} walks, ${pages} pages, limits ${limits}, lists of up to ${Math.max(...of('rows'))} rows`;
}

interface BookWalk {
  readonly engine: EngineName;
  readonly store: Engine;
  readonly url: string;
  readonly agent: Agent;
  readonly n: number;
  readonly book: DemoBook;
  readonly seen: Seen[];
}

async function walkBook({ engine, store, url, agent, n, book, seen }: BookWalk, numRuns: number) {
  const owner = await addOwner(store, `book${n}`);
  const found = await store.readStatement(() => findBooks(owner.email));
  const filled = await fill(store, found[0]!, book);
  // PostgreSQL does this automatically within a minute; without it some plans are slow.
  if (engine === 'PostgreSQL') await store.write(() => rows(sql`ANALYZE`));
  const samples = fc.sample(fc.tuple(acceptedQuery(2), limitArbitrary), {
    numRuns,
    seed: seed + n,
  });
  const walked = samples.map(async ([filter, limitFor]) => {
    const expected = listModel(book, filter).map((index) => filled.ids.transactions[index]!);
    const limit = Math.max(limitFor(expected.length), Math.ceil(expected.length / mostPages));
    const wire = `${url}/v2/transactions?${wireQuery(withIds(filled, { ...filter, limit }))}`;
    const pages = await walk(wire, { token: owner.token, agent }, limit);
    seen.push({ limit, pages: pages.length, rows: expected.length });
    return differences(pages, expected, limit).map((what) => `book ${n}, ${wire}: ${what}`);
  });
  return (await Promise.all(walked)).flat();
}

interface Page {
  readonly transactions: readonly { readonly id: number }[];
  readonly has_more: boolean;
}

async function walk(wire: string, asked: Question, limit: number): Promise<Page[]> {
  const pages: Page[] = [];
  for (
    let offset = 0;
    pages.at(-1)?.has_more !== false && pages.length <= mostPages;
    offset += limit
  ) {
    const { status, text } = await ask(wire.replace(/offset=\d+/, `offset=${offset}`), asked);
    if (status !== 200) throw new Error(`${wire} at ${offset} returned ${status}: ${text}`);
    pages.push(JSON.parse(text) as Page);
  }
  return pages;
}

function differences(pages: readonly Page[], expected: readonly number[], limit: number): string[] {
  const problems: string[] = [];
  const ids = pages.flatMap(({ transactions }) => transactions.map(({ id }) => id));
  const wrong = expected.findIndex((id, at) => ids[at] !== id);
  if (wrong >= 0) problems.push(`row ${wrong} is ${ids[wrong]} instead of ${expected[wrong]}`);
  if (ids.length !== expected.length) problems.push(`${ids.length} rows of ${expected.length}`);
  for (const [n, { transactions, has_more: hasMore }] of pages.entries()) {
    if (hasMore !== (n + 1) * limit < expected.length) problems.push(`page ${n} says ${hasMore}`);
    if (hasMore && transactions.length !== limit) problems.push(`page ${n} is not full`);
  }
  return problems;
}

/** Limits of any size, by the length of the list: small and large ones alike, and those around whole pages. */
const limitArbitrary: fc.Arbitrary<(listLength: number) => number> = fc.oneof(
  fc.integer({ min: 1, max: maxLimit }).map((limit) => () => limit),
  fc.double({ min: 0, max: 1, noNaN: true }).map((power) => () => Math.round(maxLimit ** power)),
  fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: -1, max: 1 }))
    .map(([pages, more]) => (listLength: number) => {
      const limit = Math.round(listLength / pages) + more;
      return Math.min(maxLimit, Math.max(1, limit));
    }),
);
