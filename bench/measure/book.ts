import type { ImportEntry } from '../../packages/server/src/imports/entry.ts';
import type { TransactionQuery } from '../../packages/server/src/pages/filter.ts';

/** The days of ten years from 2016-01-01; every month of the benchmark has 28 days. */
const days = 10 * 12 * 28;

/**
 * Yields `count` made-up entries in date order, the same in every run: 4 accounts, 40 categories, 5,000 payees, a note
 * on every fifth row. A million rows are 300 a day, far more than any household has.
 */
export function* benchEntries(count: number): Generator<ImportEntry> {
  const random = sequence(20_260_101);
  for (let index = 0; index < count; index += 1) {
    yield {
      line: index + 2,
      date: dateOfDay(Math.floor((index / count) * days)),
      amount: -(random(2_000_000) - 200_000),
      currency: null,
      payee: `${merchants[random(merchants.length)] ?? ''} ${random(500)}`,
      notes: random(5) === 0 ? `Order ${random(1_000_000)}, paid by card` : null,
      category: `Category ${random(40)}`,
      account: accounts[random(accounts.length)] ?? null,
      externalId: null,
    };
  }
}

const accounts = ['Checking', 'Savings', 'Credit card', 'Cash'];
const merchants = [
  'Corner Grocer',
  'Café Müller',
  'City Transit',
  'Power & Light',
  'Bookshop',
  '本屋',
  'Pharmacy',
  'Fuel Stop',
  'Bakery',
  'Hardware',
];

function dateOfDay(day: number): string {
  const month = Math.floor(day / 28);
  const parts = [2016 + Math.floor(month / 12), 1 + (month % 12), 1 + (day % 28)];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

/** Returns a source of integers below a bound, the same for the same seed. */
export function sequence(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Words of payees with a tenth of the transactions each. */
export const frequentWords = [
  'bakery',
  'hardware',
  'grocer',
  'transit',
  'light',
  'bookshop',
  'pharmacy',
  'fuel',
];

/** The usual list, as a request without parameters has it. */
export const firstPage: TransactionQuery = {
  limit: 1000,
  offset: 0,
  include_pending: false,
  include_split_parents: false,
  include_group_children: false,
  include_metadata: false,
  include_files: false,
  include_children: false,
};

/** Returns every page of a list once, never two neighbours in a row, so that no page is cached by the one before. */
export function scatteredPages(rows: number, limit: number): string[] {
  const pages = rows / limit;
  return Array.from({ length: pages }, (_, at) => list(limit, ((at * 389) % pages) * limit));
}

export function list(limit: number, offset = 0): string {
  return `/v2/transactions?limit=${limit}&offset=${Math.floor(offset)}`;
}
