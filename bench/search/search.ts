import { join } from 'node:path';
import { openDatabase } from '../../packages/server/src/database.ts';
import { parseDatabase } from '../../packages/server/src/config.ts';
import { frequentWords } from '../measure/book.ts';
import { onPostgres, settle } from '../measure/engines.ts';
import type { PartPlan } from '../measure/plan.ts';
import { percentile } from '../measure/processor-time.ts';
import { startApp } from '../measure/requests.ts';
import { measureInTurns } from '../measure/turns.ts';
import { fillBook } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';
import { writeResults } from '../report/results.ts';
import { measureWords } from './words.ts';
import { measureWriteCost } from './write-cost.ts';

const usualRows = 100_000;

/**
 * Measures search and sums: requests on both engines at 100,000 rows and at `rows`, words in a
 * book of different texts, and what they cost writes.
 */
export async function measureSearch({
  folder,
  rows,
  stamp,
  workspace,
}: PartPlan): Promise<Figure[]> {
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
  const words = `sqlite:${join(folder, 'words.db')}`;
  figures.push(...(await measureWords(words, rows, { serverPid: null, folder })));
  await onPostgres(async (server, serverPid) => {
    figures.push(...(await measureWords(await server.newDatabase(), rows, { serverPid, folder })));
    for (const size of sizes)
      figures.push(...(await measureReads(await fill(await server.newDatabase(), size))));
  });
  writeResults('search.json', { ...stamp, rows, figures });
  return figures;
}

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
  // The responses of PostgreSQL take several times as long.
  const plan = isOwn ? { rounds: 10, warmUps: 2 } : { rounds: 4, warmUps: 1 };
  const send = startApp(engine, token);
  const targets = Object.entries(queries).map(([name, query]) => {
    let sent = 0;
    return [name, () => timed(() => send('GET', query(sent++)), isOwn)] as const;
  });
  const samples = await measureInTurns(Object.fromEntries(targets), plan);
  await engine.close();
  const prefix = `${isOwn ? '' : 'PostgreSQL: '}${rows.toLocaleString('en')} rows: `;
  const all = Object.keys(queries).flatMap((name) => samples.of(name));
  const value = percentile(all, 0.95);
  const atMost = rows <= usualRows ? 50 : 150;
  return [
    ...samples.medians(prefix, 'ms'),
    { name: `${prefix}95th percentile of all`, value, unit: 'ms', atMost },
  ];
}

async function timed(work: () => Promise<unknown>, isOwn: boolean): Promise<number> {
  const [before, startedMs] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return isOwn ? (user + system) / 1000 : performance.now() - startedMs;
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
