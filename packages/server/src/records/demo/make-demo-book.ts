import { listManualAccounts, listPlaidAccounts } from './accounts.ts';
import { days, lastDay } from './calendar.ts';
import { listCategories } from './categories.ts';
import { currencies } from './currencies.ts';
import type { DemoBook } from './demo-book.ts';
import type { DraftTransaction, DraftUnit } from './draft-transaction.ts';
import { draftPurchases, purchasesPerDay } from './everyday.ts';
import { Random } from './random.ts';
import { withDeletePending } from './review.ts';
import { draftSchedule } from './schedule.ts';
import { listTags } from './tags.ts';
import { TransactionWriter } from './transaction-writer.ts';

export interface DemoOptions {
  /** Rows of every kind, 100 to 1,000,000; 12,000 unless said otherwise. */
  readonly transactions?: number;
  /** 0 to 2^32 - 1; 1 unless said otherwise. */
  readonly seed?: number;
}

/**
 * Makes up ten years of a household's records, 2016-11-01 to 2026-10-31, exactly as many rows as asked for.
 *
 * Equal options give equal books on every machine, in every time zone, on every run; the seed changes the details,
 * never the structure. The rows ascend by date, and parents come before their children. Amounts abroad are turned into
 * US dollars at a made-up rate of the month, rounded half to even. Throws a RangeError for an option out of bounds.
 */
export function makeDemoBook(options: DemoOptions = {}): DemoBook {
  const size = wholeNumber('Transactions', options.transactions ?? 12_000, 100, 1_000_000);
  const random = new Random(wholeNumber('Seed', options.seed ?? 1, 0, 4_294_967_295));
  const writer = writeTransactions(size, random);
  const categories = listCategories();
  return {
    name: 'Demo Household',
    primaryCurrency: currencies[0],
    manualAccounts: listManualAccounts(),
    plaidAccounts: listPlaidAccounts(writer.owed),
    categories,
    tags: listTags(),
    transactions: withDeletePending(writer.transactions, categories),
  };
}

function writeTransactions(size: number, random: Random): TransactionWriter {
  const units = draftSchedule(size, random.fork('schedule'));
  const scheduled = byDay(units);
  const purchases = random.fork('purchases');
  const perDay = purchasesPerDay(size - units.flat().length, random.fork('density'));
  const writer = new TransactionWriter(random.fork('writing'));
  for (let day = 0; day <= lastDay; day += 1) {
    for (const draft of scheduled[day]!) writer.write(draft);
    const drafts = draftPurchases(day, perDay[day]!, purchases);
    for (const draft of drafts) writer.write(draft);
  }
  return writer;
}

function byDay(units: readonly DraftUnit[]): DraftTransaction[][] {
  const lists: DraftTransaction[][] = days.map(() => []);
  for (const draft of units.flat()) lists[draft.day]!.push(draft);
  return lists;
}

function wholeNumber(name: string, value: number, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${name} must be a whole number from ${least} to ${most}, not "${value}"`);
  }
  return value;
}
