import { addDays } from '@coffer/core/dates';
import fc from 'fast-check';
import { plainId } from '../bank-ids.ts';
import type { ImportEntry, NumberedAccount } from '../entry.ts';

/** A transaction as the bank has it; its notes are its number. */
type Booked = typeof bookedArbitrary extends fc.Arbitrary<infer B> ? B : never;

/** All transactions of an account, by date. */
export type Bank = readonly Booked[];

/** How the bank writes a file. */
export type BankFile = typeof fileArbitrary extends fc.Arbitrary<infer F> ? F : never;

/** Names as files have them. Only the numbers distinguish the accounts. */
const accounts = ['Bank 7890', 'BANK 7890'] as const;

/** The accounts for the plan of an import. */
export const bankAccounts: ReadonlyMap<string, NumberedAccount> = new Map([
  [accounts[0], { bankId: 'BANK', number: '1234567890', name: null }],
  [accounts[1], { bankId: 'BANK', number: '9994567890', name: null }],
]);

const firstDay = '2024-01-01';
const days = 75;

/** Formats whose date is the one of the booking, some days after the purchase. */
const laggingFormats: readonly BankFile['format'][] = ['camt'];

/** Returns a text that is equal for transactions of an account with the same posted amount and currency. */
export function moneyOf({ amount, currency, account }: Booked): string {
  return `${amount} ${currency} ${account}`;
}

/** Returns the entries of a file. */
export function fileOf(bank: Bank, file: BankFile): ImportEntry[] {
  const [first, last] = [addDays(firstDay, file.from), addDays(firstDay, file.to)];
  const entries = bank.flatMap((booked, number) => {
    const date = dateIn(file.format, booked);
    if (date >= first && date <= last) return [entryOf(booked, number, file, date, false)];
    const since = addDays(date, -booked.pendingDays);
    const isPending = file.isNow && since <= last && date > last && booked.pendingDays > 0;
    return isPending ? [entryOf(booked, number, file, since, true)] : [];
  });
  const ordered = file.isReversed ? entries.toReversed() : entries;
  return ordered.map((entry, at) => ({ ...entry, line: at + 2 }));
}

function dateIn(format: BankFile['format'], { date, lag }: Booked): string {
  return laggingFormats.includes(format) ? addDays(date, lag) : date;
}

function entryOf(
  booked: Booked,
  number: number,
  { format, hasIds, to }: BankFile,
  date: string,
  isPending: boolean,
): ImportEntry {
  const id = `${format.toUpperCase()}${10_000 + number}`;
  const bankId = { id, nth: 1, isRepeated: false };
  const amount = isPending ? Math.round(booked.amount / (1 + booked.tip / 100)) : booked.amount;
  const own = booked.isCorrected && hasIds && to > 40 ? `${booked.payee} corrected` : booked.payee;
  return {
    line: 0,
    date,
    amount,
    payee: payeeIn(format, own),
    notes: String(number),
    isPending,
    ...{ currency: booked.currency, account: booked.account, category: null, externalId: null },
    // Pending transactions have no id yet.
    ...(hasIds && !isPending && { externalId: plainId(bankId), bankId }),
  };
}

/** Every format has its own text. */
function payeeIn(format: BankFile['format'], payee: string): string {
  switch (format) {
    case 'csv':
      return `CARD PURCHASE ${payee.toUpperCase()}`;
    case 'ofx':
      return payee;
    case 'camt':
      return `${payee} SAYS THANK YOU`;
    case 'mt940':
      return '';
  }
}

/** Mostly amounts that occur once in the month, and a few that often recur. */
const amountArbitrary = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1000, max: 2_000_000 }).map((each) => -each) },
  { weight: 1, arbitrary: fc.constantFrom(-35_000, -120_000) },
);

const bookedArbitrary = fc.record({
  date: fc.nat({ max: days - 1 }).map((day) => addDays(firstDay, day)),
  amount: amountArbitrary,
  currency: fc.constantFrom('usd', 'usd', 'usd', 'usd', 'eur'),
  account: fc.oneof({ weight: 9, arbitrary: fc.constant(accounts[0]) }, fc.constant(accounts[1])),
  payee: fc.constantFrom('Shop', 'Café', 'Market', 'Bakery', 'Garage'),
  /** Days from the date in other formats to the date in some formats. */
  lag: fc.constantFrom(0, 0, 0, 1, 2, 3),
  /** Days for which it is pending before its date. */
  pendingDays: fc.constantFrom(0, 0, 0, 1, 2, 4),
  /** What the posted amount has more than the pending one, in percent. */
  tip: fc.constantFrom(0, 0, 0, 15, 20),
  /** Whether later files have another payee for it, under its id. */
  isCorrected: fc.constantFrom(false, false, false, false, true),
});

/** Months of the same length, cut anywhere. */
const fileArbitrary = fc.record({
  format: fc.constantFrom('csv', 'ofx', 'camt', 'mt940'),
  /** Without ids, also of a format that can have them. */
  hasIds: fc.boolean(),
  /** Days of the first and the last date, from the first day of the bank. */
  from: fc.integer({ min: -5, max: 45 }),
  to: fc.integer({ min: 46, max: 80 }),
  /** Whether it is downloaded on its last day, with what is pending then. */
  isNow: fc.boolean(),
  isReversed: fc.boolean(),
});

/** The same purchase three times on one day, but in another account or another currency. */
function alike(booked: Booked): Booked[] {
  const [account, other] = accounts;
  return [
    { ...booked, currency: 'usd', account },
    { ...booked, currency: 'eur', account },
    { ...booked, currency: 'usd', account: other },
  ];
}

/** A bank with two and a half months, and files of it. */
export const bankArbitrary: fc.Arbitrary<{ bank: Bank; files: BankFile[] }> = fc.record({
  bank: fc
    .tuple(
      fc.array(bookedArbitrary, { minLength: 1, maxLength: 30, size: 'max' }),
      // Twins: the same purchase twice on one day.
      fc.array(bookedArbitrary, { maxLength: 2 }),
      fc.array(bookedArbitrary, { maxLength: 1 }),
    )
    .map(([all, twins, others]) =>
      [...all, ...twins, ...twins, ...others.flatMap(alike)].toSorted((a, b) =>
        a.date < b.date ? -1 : 1,
      ),
    ),
  files: fc.array(fileArbitrary, { minLength: 2, maxLength: 4 }),
});
