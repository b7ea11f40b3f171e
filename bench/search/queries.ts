import { frequentWords } from '../measure/book.ts';

/** What a person does in the list of transactions, with a number so that no request is sent twice. */
export type Query = (index: number) => string;

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

export const queries: Readonly<Record<string, Query>> = {
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
