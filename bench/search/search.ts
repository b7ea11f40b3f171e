import { join } from 'node:path';
import { openDatabase, parseDatabase } from '../../packages/server/src/main.ts';
import { frequentWords } from '../measure/book.ts';
import { onPostgres, settle } from '../measure/engines.ts';
import type { PartPlan } from '../measure/plan.ts';
import { startApp } from '../measure/requests.ts';
import { fillBook, type Workspace } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';
import { resultsOf, writeResults } from '../report/results.ts';
import { measureWriteCost } from './write-cost.ts';

const usualRows = 100_000;

/** Measures search and sums: requests on both engines at 100,000 rows and at `rows`, and what they cost writes. */
export async function measureSearch(workspace: Workspace, plan: PartPlan): Promise<Figure[]> {
  const { rows, stamp } = plan;
  const figures = await measure(workspace, plan);
  writeResults('search.json', resultsOf(stamp, rows, figures));
  return figures;
}

async function measure(workspace: Workspace, { folder, rows }: PartPlan): Promise<Figure[]> {
  const sizes = [...new Set([Math.min(usualRows, rows), rows])];
  const fill = async (url: string, size: number): Promise<SearchedBook> => {
    const token = await fillBook(url, size);
    await settle(url);
    return { url, token, rows: size };
  };
  const figures: Figure[] = [];
  for (const size of sizes) {
    const { databaseUrl: url, token } = workspace;
    const own = size === rows ? { url, token, rows } : null;
    const book = own ?? (await fill(`sqlite:${join(folder, `search-${size}.db`)}`, size));
    figures.push(...(await measureReads(book)));
  }
  figures.push(...(await measureWriteCost(folder)));
  await onPostgres(async (server) => {
    for (const size of sizes)
      figures.push(...(await measureReads(await fill(await server.newDatabase(), size))));
  });
  return figures;
}

/** The responses of PostgreSQL take several times as long. */
const plans = { own: { rounds: 10, warmUp: 2 }, database: { rounds: 4, warmUp: 1 } };

/** The goals in milliseconds: for 100,000 rows, and for a million. */
const goals = [
  [100_000, 50],
  [1_000_000, 150],
] as const;

interface SearchedBook {
  readonly url: string;
  readonly token: string;
  readonly rows: number;
}

/**
 * Measures requests that search and sum transactions of a book, each of them new, so that no total is remembered.
 *
 * The unit on SQLite is processor time, which varies less on a shared machine; on PostgreSQL it is the time of the
 * response. The 95th percentile is that of all requests of the mix.
 */
async function measureReads({ url, token, rows }: SearchedBook): Promise<Figure[]> {
  const engine = await openDatabase(parseDatabase(url));
  const isOwn = url.startsWith('sqlite');
  const { rounds, warmUp } = isOwn ? plans.own : plans.database;
  const send = startApp(engine, token);
  const times = new Map<string, number[]>();
  for (let round = -warmUp; round < rounds; round += 1)
    for (const [name, query] of Object.entries(queries)) {
      const ms = await timed(() => send('GET', query(round + warmUp)), isOwn);
      if (round >= 0) times.set(name, [...(times.get(name) ?? []), ms]);
    }
  await engine.close();
  return figuresOf(
    `${isOwn ? '' : 'PostgreSQL: '}${rows.toLocaleString('en')} rows: `,
    times,
    rows,
  );
}

async function timed(work: () => Promise<unknown>, isOwn: boolean): Promise<number> {
  const [before, startedMs] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return isOwn ? (user + system) / 1000 : performance.now() - startedMs;
}

function figuresOf(engine: string, times: ReadonlyMap<string, number[]>, rows: number): Figure[] {
  const [, atMost] = goals.find(([most]) => rows <= most) ?? goals[1];
  const unit = 'ms';
  const all = [...times.values()].flat();
  const each = [...times].map(([name, values]) => ({
    ...{ name: `${engine}${name}`, value: percentile(values, 0.5), unit },
  }));
  return [
    ...each,
    { name: `${engine}95th percentile of all`, value: percentile(all, 0.95), unit, atMost },
  ];
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1]!;
}

/** What a person does in the list of transactions, with a number so that no request is sent twice. */
type Query = (index: number) => string;

const list = '/coffer/transactions';
const dates = (index: number): string => `start_date=201${6 + (index % 4)}-0${1 + (index % 9)}-11`;

/** Words with a tenth of the rows, more or less completely typed. */
const frequent = frequentWords.flatMap((word) => [word, word.slice(0, -1), word.slice(0, 3)]);

/**
 * The queries of the measurement: no hit, a rare word, a word with a tenth of the rows, two words, and filters; each as
 * a page with its total, and as months. Words vary in how much of them is typed. The last ones are as the browser UI
 * sends them, with pending rows; they have the numbers of other rounds, so that no total is remembered.
 */
const searches: Record<string, Query> = {
  'no hit': (index) => `q=zeppelin${index}`,
  'a rare word': (index) => `q=${1000 + index}`,
  'a payee': (index) => `payee=${encodeURIComponent(`Bakery ${index % 500}`)}`,
  'a frequent word': (index) => `q=${frequent[index % frequent.length]}`,
  'two words': (index) => `q=caf+${index % 500}`,
  'two frequent words': (index) => `q=${frequent[index % frequent.length]}+${index % 10}`,
  'a frequent word with filters': (index) =>
    `q=pharm&category_ids=1,2,3&${dates(index)}&min_amount=${index % 50}`,
  'one letter': (index) => `q=${'abcdefghijklmnopqrstuvwxyz'[index % 26]}`,
  amounts: (index) => `min_amount=70.${index % 7}&max_amount=9${index % 10}.${index % 10_000}`,
  'categories and a status': (index) =>
    `category_ids=4,5,${6 + (index % 20)}&status=unreviewed&${dates(index)}`,
  'what waits for review': (index) => `status=unreviewed&start_date=2015-0${1 + (index % 9)}-01`,
  'a word that waits for review': (index) =>
    `status=unreviewed&q=${frequent[index % frequent.length]}`,
  'by amount': (index) =>
    `sort=-amount&${dates(index)}&manual_account_ids=1,${2 + (index % 2)}&min_amount=0.${index % 10_000}`,
};

for (const name of ['a rare word', 'a frequent word', 'a frequent word with filters', 'amounts'])
  searches[`${name}, in the UI`] = (index) =>
    `include_pending=true&limit=500&${searches[name]!(index + 5)}`;

function monthsOf(query: string): string {
  return `${list}/months?${query.replace(/sort=-amount&|limit=500&/, '')}`;
}

function pageOf(query: string): string {
  return `${list}?${query.includes('limit=') ? '' : 'limit=100&'}${query}`;
}

const queries: Readonly<Record<string, Query>> = {
  ...Object.fromEntries(
    Object.entries(searches).flatMap(([name, query]) => [
      [`page: ${name}`, (index: number) => pageOf(query(index))],
      [`months: ${name}`, (index: number) => monthsOf(query(index + 50_001))],
    ]),
  ),
  'months: all': () => `${list}/months`,
  'sums of a year': (index) =>
    `/coffer/sums?by=month,category&start_month=20${16 + (index % 9)}-01`,
  'sums of all': () => '/coffer/sums?by=month,category,account',
  'payees: all': () => '/coffer/payees',
  'payees: a word': (index) => `/coffer/payees?q=${'bakery'.slice(0, 1 + (index % 6))}`,
};
