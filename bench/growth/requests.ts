import assert from 'node:assert/strict';
import { frequentWords, list } from '../measure/book.ts';
import { cpuOf, type ServerProcess } from '../measure/child.ts';
import { runLoad } from '../measure/load.ts';
import { overHttp, writesOf } from '../measure/requests.ts';

const connections = 8;
const pageRows = 100;
/** Fewer, because the smallest book has few transactions in a category. */
const categoryPageRows = 10;
const pages = 60;
const warmUp = 100;
const years = 24;
const single = 20;
const many = 500;
const bulks = 4;
/** Few, because each may read a whole book. */
const few = 6;

/** A book whose requests are measured. */
export interface MeasuredBook {
  readonly token: string;
  readonly rows: number;
  /** The number of transactions of each category. */
  readonly categories: ReadonlyMap<number, number>;
}

/** The most that an operation may cost in a book of a million, against one of a thousand. */
const [flat, slow] = [1.5, 10];

/** What each operation is, and the paths of the reads. No request is sent twice to one version of a book. */
export const operations = {
  first: {
    what: 'the first 100 transactions',
    atMost: flat,
    paths: () => times(pages, (at) => list(pageRows, at)),
  },
  last: {
    what: 'the last 100 transactions',
    atMost: flat,
    paths: ({ rows }) => times(pages, (before) => list(pageRows, rows - pageRows - before)),
  },
  category: { what: 'the last 10 of a category', atMost: flat, paths: category },
  day: { what: 'the transactions of a day', atMost: flat, paths: day },
  status: {
    what: 'the last 100 of a status',
    atMost: flat,
    // All transactions of the book have this status.
    paths: ({ rows }) =>
      times(few, (at) => `${list(pageRows, rows - pageRows - at)}&status=unreviewed`),
  },
  updated: { what: 'a poll by `updated_since`', atMost: flat, paths: () => polls('updated') },
  created: { what: 'a poll by `created_since`', atMost: flat, paths: () => polls('created') },
  summary: { what: 'the summary of a year', atMost: slow, paths: summary },
  decade: {
    what: 'the summary of ten years',
    atMost: slow,
    paths: () =>
      times(few, (at) => `/v2/summary?start_date=2016-01-0${at + 1}&end_date=2025-12-31`),
  },
  sums: {
    what: 'the sums of ten years',
    atMost: slow,
    paths: () =>
      times(few, (at) => `/coffer/sums?by=month,category,account&start_month=2016-0${at + 1}`),
  },
  search: { what: 'a search for a word', atMost: slow, paths: search },
  insert: { what: 'an insert of 1', atMost: flat },
  bulk: { what: 'an insert of 500', atMost: flat },
} as const satisfies Record<string, Operation>;

interface Operation {
  readonly what: string;
  readonly atMost: number;
  readonly paths?: (book: MeasuredBook) => string[];
}

export type OperationName = keyof typeof operations;

/** Processor time of the server per request in milliseconds. */
type Costs = Readonly<Record<OperationName, number>>;

/**
 * Measures every operation in a book. It ends with the same transactions and another version.
 *
 * A few requests before the others warm the server up again, after the turns of other books.
 */
export async function measureOperations(server: ServerProcess, book: MeasuredBook): Promise<Costs> {
  const read = (paths: readonly string[]): Promise<number> =>
    runLoad({
      ports: [server.port],
      token: book.token,
      paths,
      requests: paths.length,
      // A server ends connections that wait long behind others.
      connections: Math.min(connections, Math.ceil(paths.length / 10)),
    });
  await read(Array.from({ length: warmUp }, (_, after) => list(pageRows, pages + after)));
  const costs: Record<string, number> = {};
  for (const [name, { paths: pathsOf }] of Object.entries<Operation>(operations)) {
    if (pathsOf === undefined) continue;
    const paths = pathsOf(book);
    costs[name] = (await cpuOf(server, () => read(paths))) / paths.length;
  }
  return { ...costs, ...(await measureInserts(server, book)) } as unknown as Costs;
}

/** The last page of each category, without the pages before it, whose keys would be remembered. */
function category({ categories }: MeasuredBook): string[] {
  return [...categories].map(([id, count]) => {
    assert.ok(count >= categoryPageRows, `Category ${id} has ${count} transactions`);
    return `${list(categoryPageRows, count - categoryPageRows)}&category_id=${id}`;
  });
}

/** Of days that every book has. A larger book has more transactions on them, of which ten are listed. */
function day(): string[] {
  return times(28, (at) => {
    const date = `2020-05-${digits(at + 1)}`;
    return `${list(categoryPageRows)}&start_date=${date}&end_date=${date}`;
  });
}

function polls(by: 'updated' | 'created'): string[] {
  return times(few, (at) => `${list(pageRows)}&${by}_since=2099-01-0${at + 1}T00:00:00Z`);
}

function times(count: number, path: (at: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => path(at));
}

function search(): string[] {
  // More or less completely typed.
  const typed = frequentWords.map((word, at) => word.slice(0, at < 6 ? word.length : -1));
  return typed.map((word) => `/coffer/transactions?limit=50&q=${word}`);
}

/** Twelve months from different months on. */
function summary(): string[] {
  return times(years, (index) => {
    const [year, month] = [2016 + Math.floor(index / 3), 1 + 4 * (index % 3)];
    const end =
      month === 1 ? `${year}-12-31` : `${year + 1}-${digits(month - 1)}-${month === 5 ? 30 : 31}`;
    return `/v2/summary?start_date=${year}-${digits(month)}-01&end_date=${end}`;
  });
}

function digits(value: number): string {
  return String(value).padStart(2, '0');
}

async function measureInserts(server: ServerProcess, { token }: MeasuredBook) {
  const { insert, remove } = await writesOf(overHttp(server.port, token));
  // Of the newest month of the book, as what a bank sends.
  const dated = (at: number) => ({ date: `2025-12-${digits(1 + (at % 28))}` });
  const ids: number[] = [];
  const repeat = (times: number, rows: number) => async (): Promise<void> => {
    for (let time = 0; time < times; time += 1) ids.push(...(await insert(rows, dated)));
  };
  const singleMs = await cpuOf(server, repeat(single, 1));
  const bulkMs = await cpuOf(server, repeat(bulks, many));
  while (ids.length > 0) await remove(ids.splice(-many));
  return { insert: singleMs / single, bulk: bulkMs / bulks };
}
