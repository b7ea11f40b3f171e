import fc from 'fast-check';
import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import {
  budgets,
  categories,
  manualAccounts,
  plaidAccounts,
  recurringItems,
  transactions,
} from '../../db/tables/tables.ts';
import { latestToBase, toBase } from '../currencies/actions.ts';
import type { DayRates } from '../currencies/ecb.ts';
import { groupTransactions } from '../transactions/group.ts';
import { splitTransaction } from '../transactions/split.ts';
import { BulkRows, insertTransactions, type NewTransaction } from '../transactions/writes.ts';

/** A transaction; with several amounts it is split into parts, whose dates may differ from its own. */
export type Draft = typeof draft extends fc.Arbitrary<infer D> ? D : never;

export const dates = ['2025-12-30', '2026-01-01', '2026-01-02', '2026-03-01'];
const currencies = ['usd', 'eur', 'jpy', 'btc'];
const date = fc.constantFrom(...dates);
export const draft = fc.record({
  date,
  currency: fc.constantFrom(...currencies),
  parts: fc.array(fc.record({ amount: fc.integer({ min: -99_999_999, max: 99_999_999 }), date }), {
    minLength: 1,
    maxLength: 4,
  }),
  group: fc.option(fc.nat(1)),
});
export const plain = (on: string, currency: string, amount = 10_000): Draft => {
  return { date: on, currency, parts: [{ amount, date: on }], group: null };
};

const series = fc.uniqueArray(fc.tuple(date, fc.integer({ min: 1, max: 99_999 }).map(String)), {
  selector: ([on]) => on,
});
export const rates: fc.Arbitrary<DayRates> = fc
  .record({ usd: series, jpy: series })
  .map((all) => new Map(Object.entries(all).map(([code, days]) => [code, new Map(days)])));

/** Adds transactions as they are rated when they are created: whole, in parts, and in groups. */
export function* fill(change: Change, drafts: readonly Draft[]): Steps<void> {
  const { bookId } = change;
  const ids = new BulkRows(change);
  const members: number[][] = [[], []];
  const splits: { id: number; draft: Draft }[] = [];
  const rows: NewTransaction[] = [];
  for (const each of drafts) {
    const { currency, parts, group } = each;
    const id = yield* ids.nextId();
    const amount = parts.reduce((sum, part) => sum + part.amount, 0);
    const to_base = yield* toBase(bookId, amount, currency, each.date);
    const column = { payee: 'P', status: 'reviewed', source: 'api' };
    rows.push({ id, date: each.date, amount, currency, to_base, ...column });
    if (parts.length > 1) splits.push({ id, draft: each });
    else if (group !== null) members[group]!.push(id);
  }
  yield* insertTransactions(change, rows);
  for (const { id, draft: split } of splits) {
    const row = yield* find(transactions, { book_id: bookId, id });
    yield* splitTransaction(change, row!, split.parts);
  }
  for (const group of members)
    if (group.length > 1)
      yield* groupTransactions(change, { ids: group, date: dates[0]!, payee: 'G' });
}

export function* fillOthers(change: Change): Steps<void> {
  for (const [index, currency] of currencies.entries()) {
    const balance = 12_345 * (index + 1);
    const to_base = yield* latestToBase(change.bookId, balance, currency, change.at);
    const own = { name: currency, type: 'cash', currency, balance, to_base };
    const columns = { balance_as_of: change.at, created_by_name: 'A' };
    yield* change.insert(manualAccounts, { ...own, ...columns });
    const linked = { institution_name: 'B', subtype: '', mask: '1', linked_by_name: 'A' };
    yield* change.insert(plaidAccounts, { ...own, ...linked, date_linked: '2026-01-01' });
    const often = { granularity: 'month', quantity: 1, anchor_date: '2026-01-01' } as const;
    const item = { status: 'reviewed', source: 'manual', created_by: 1 } as const;
    yield* change.insert(recurringItems, {
      ...often,
      ...item,
      amount: balance,
      currency,
      to_base,
    });
    const { id: category_id } = yield* change.insert(categories, { name: currency });
    const start_date = '2026-01-01';
    const budgeted = yield* toBase(change.bookId, balance, currency, start_date);
    const budget = { category_id, start_date, amount: balance, currency, to_base: budgeted };
    yield* change.insert(budgets, budget);
  }
}

/** Returns the amounts and values of the records that {@link fill} and {@link fillOthers} add. */
export function* valuedRows(book_id: number): Steps<unknown[]> {
  const rows = yield* select(transactions, { book_id });
  const others = [
    ...(yield* select(manualAccounts, { book_id })),
    ...(yield* select(plaidAccounts, { book_id })),
    ...(yield* select(recurringItems, { book_id })),
    ...(yield* select(budgets, { book_id })),
  ];
  return [
    ...rows.map(({ date: on, amount, currency, to_base }) => [on, amount, currency, to_base]),
    ...others.map((each) => [
      each.currency,
      'balance' in each ? each.balance : each.amount,
      each.to_base,
    ]),
  ];
}
