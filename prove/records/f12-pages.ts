import { findBooks } from '../../packages/server/src/main.ts';
import { Agent } from 'node:http';
import * as fc from 'fast-check';
import { fill, withIds } from '../../packages/server/src/pages/testing/filled-book.ts';
import {
  bookArbitrary,
  listModel,
  queryArbitrary,
} from '../../packages/server/src/pages/testing/page-model.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import type { TransactionQuery } from '../../packages/server/src/pages/query.ts';
import { ask, type Question } from '../run/ask.ts';
import { addOwner, useStore } from '../run/book.ts';
import type { Check, Outcome } from '../run/check.ts';
import { onEachEngine, type EngineName } from '../run/engines.ts';
import { startServer } from '../run/server-process.ts';

const seed = 12;
const queriesPerBook = 50;

/** Generated books over HTTP, the same on either engine, walked beside a model that sorts a plain array. */
export const check: Check = {
  id: 'F12',
  promise:
    'Walking any filtered list in pages of any size gives every row once, in one order, and has_more is exact; on both engines',
  needs: ['postgres'],
  rounds: { short: 50, full: 10_000 },
  async run(cases) {
    const walks = await onEachEngine((engine, database) => walkBooks(engine, database, cases));
    const figure = `${walks.map((each) => each.figure).join('; ')} (seed ${seed})`;
    return { figure, problems: walks.flatMap(({ problems }) => problems) };
  },
};

function walkBooks(engine: EngineName, database: string, cases: number): Promise<Outcome> {
  return useStore(database, async (store) => {
    const server = await startServer({ database, flags: ['--rate-limit', '1000000000/24h'] });
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const problems: string[] = [];
    const counted = { walks: 0, pages: 0 };
    try {
      const books = fc.sample(bookArbitrary, { numRuns: cases / queriesPerBook, seed });
      for (const [n, book] of books.entries()) {
        const found = await walkBook({ store, url: server.url, agent, n, book, counted });
        problems.push(...found.map((problem) => `${engine}, ${problem}`));
      }
    } finally {
      agent.destroy();
      await server.end('SIGKILL');
    }
    const figure = `${engine}: ${counted.walks} walks, ${counted.pages} pages, ${problems.length} other than the model`;
    return { figure, problems };
  });
}

interface BookWalk {
  readonly store: Engine;
  readonly url: string;
  readonly agent: Agent;
  readonly n: number;
  readonly book: Parameters<typeof listModel>[0];
  readonly counted: { walks: number; pages: number };
}

async function walkBook({ store, url, agent, n, book, counted }: BookWalk): Promise<string[]> {
  const owner = await addOwner(store, `book${n}`);
  const found = await store.readStatement(() => findBooks(owner.email));
  const filled = await fill(store, found[0]!, book);
  const queries = fc.sample(askedArbitrary, { numRuns: queriesPerBook, seed: seed + n });
  const walked = queries.map(async (query) => {
    const wire = `${url}/v2/transactions?${wireQuery(withIds(filled, query))}`;
    const expected = listModel(book, query).map((index) => filled.ids.transactions[index]!);
    const pages = await walk(wire, { token: owner.token, agent }, query.limit);
    counted.walks += 1;
    counted.pages += pages.length;
    return differences(pages, expected, query.limit).map((what) => `book ${n}, ${wire}: ${what}`);
  });
  return (await Promise.all(walked)).flat();
}

interface Page {
  readonly transactions: readonly { readonly id: number }[];
  readonly has_more: boolean;
}

/** The pages of a list from offset 0 in steps of `limit`, until one says that there are no more. */
async function walk(wire: string, asked: Question, limit: number): Promise<Page[]> {
  const pages: Page[] = [];
  for (let offset = 0; pages.at(-1)?.has_more !== false && pages.length <= 100; offset += limit) {
    const { status, text } = await ask(`${wire}&offset=${offset}`, asked);
    if (status !== 200) throw new Error(`${wire} at ${offset} was answered ${status}: ${text}`);
    pages.push(JSON.parse(text) as Page);
  }
  return pages;
}

function differences(pages: readonly Page[], expected: readonly number[], limit: number): string[] {
  const problems: string[] = [];
  const ids = pages.flatMap(({ transactions }) => transactions.map(({ id }) => id));
  if (ids.join() !== expected.join()) problems.push(`${ids.join()} instead of ${expected.join()}`);
  for (const [n, { transactions, has_more: hasMore }] of pages.entries()) {
    if (hasMore !== (n + 1) * limit < expected.length) problems.push(`page ${n} says ${hasMore}`);
    if (hasMore && transactions.length !== limit) problems.push(`page ${n} is not full`);
  }
  return problems;
}

const filterNames = [
  ...(['start_date', 'end_date', 'created_since', 'updated_since', 'status'] as const),
  ...(['is_pending', 'manual_account_id', 'plaid_account_id', 'recurring_id'] as const),
  ...(['category_id', 'tag_id', 'is_group_parent'] as const),
];

/** Queries that the API takes, with few filters, so that most lists are long, and with small pages. */
const askedArbitrary = fc
  .tuple(
    queryArbitrary,
    fc.shuffledSubarray(filterNames, { minLength: filterNames.length - 2 }),
    fc.integer({ min: 1, max: 9 }),
  )
  .map(([query, dropped, limit]): TransactionQuery => {
    const kept = Object.entries(query).filter(([name]) => !dropped.some((each) => each === name));
    return { ...(Object.fromEntries(kept) as unknown as TransactionQuery), limit };
  })
  .filter(isTaken);

/** The page engine takes more than the API does: a list of what has no recurring item, say, is not on the wire. */
function isTaken({ start_date, end_date, recurring_id }: TransactionQuery): boolean {
  if (start_date !== undefined && end_date !== undefined && start_date > end_date) return false;
  return recurring_id !== -1;
}

/** A query on the wire, but for the offset. */
function wireQuery({ offset: _offset, ...query }: TransactionQuery): string {
  const parameters = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return String(new URLSearchParams(Object.fromEntries(parameters) as Record<string, string>));
}
