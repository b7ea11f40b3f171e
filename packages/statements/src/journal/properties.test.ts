import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Entry } from '../statement.ts';
import { journalText, type BookPosting, type BookTransaction } from '../testing/journal-text.ts';
import { entriesOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';
import { LineReader } from './lines.ts';
import { runs } from '../../../core/src/testing/length.ts';

const MONEY = ['Assets:Bank:Checking', 'Assets:Cash', 'Liabilities:Card'];
const CATEGORIES = ['Expenses:Food:Bread', 'Expenses:Home', 'Income:Salary', 'Equity:Opening'];
const DIALECTS = ['beancount', 'hledger', 'ledger'] as const;

const word = fc
  .stringMatching(/^[A-Za-zéж][A-Za-z0-9éж' ,.]{0,12}[a-z]$/)
  .map((text) => text.replace(/ +/g, ' '));
const posting: fc.Arbitrary<BookPosting> = fc.record({
  account: fc.constantFrom(...MONEY, ...CATEGORIES),
  cents: fc.oneof(
    fc.integer({ min: -9_999, max: 9_999 }),
    fc.integer({ min: -(10 ** 9), max: 10 ** 9 }),
  ),
  currency: fc.constantFrom('USD' as const, 'USD' as const, 'EUR' as const),
});
const transaction: fc.Arbitrary<BookTransaction> = fc
  .record({
    date: fc.integer({ min: 1, max: 28 }).map((day) => `2024-02-${String(day).padStart(2, '0')}`),
    payee: word,
    note: fc.oneof(fc.constant(''), word),
    tags: fc.uniqueArray(fc.constantFrom('food', 'trip', 'x-1'), { maxLength: 2 }),
    isPending: fc.boolean(),
    postings: fc.array(posting, { minLength: 1, maxLength: 5 }),
    last: fc.constantFrom(...MONEY, ...CATEGORIES),
    isElided: fc.boolean(),
  })
  .map(({ postings, last, isElided, ...rest }) => ({
    ...rest,
    postings: [...postings, ...closing(postings, last, isElided)],
  }));
const book = fc.array(transaction, { minLength: 1, maxLength: 8 });

/** The posting that balances the others: without an amount, or one for each currency. */
function closing(
  postings: readonly BookPosting[],
  account: string,
  isElided: boolean,
): BookPosting[] {
  if (isElided) return [{ account, cents: null, currency: 'USD' }];
  return [...sums(postings, ({ currency }) => currency)].map(([currency, { cents }]) => ({
    ...{ account, cents: -cents, currency: currency as 'USD' },
  }));
}

function sums(postings: readonly BookPosting[], keyOf: (one: BookPosting) => string) {
  const totals = new Map<string, { cents: number }>();
  for (const one of postings) {
    const total = totals.get(keyOf(one)) ?? { cents: 0 };
    totals.set(keyOf(one), { cents: total.cents + (one.cents ?? 0) });
  }
  return totals;
}

/** The postings of a transaction with all amounts. */
function complete({ postings }: BookTransaction): BookPosting[] {
  const given = postings.filter(({ cents }) => cents !== null);
  const elided = postings.find(({ cents }) => cents === null);
  return elided === undefined ? given : [...given, ...closing(given, elided.account, false)];
}

function totals(pairs: Iterable<readonly [key: string, amount: number]>): Record<string, number> {
  const found = new Map<string, number>();
  for (const [key, amount] of pairs) found.set(key, (found.get(key) ?? 0) + amount);
  return Object.fromEntries([...found].filter(([, amount]) => amount !== 0).toSorted());
}

function short(account: string): string {
  return account.slice(account.indexOf(':') + 1);
}

/** The amounts of an entry by category. */
function shares({ amount, category, currency, parts }: Entry): (readonly [string, number])[] {
  const all = parts ?? [{ amount, category }];
  return all.map((part) => [`${part.category} ${currency}`, part.amount] as const);
}

describe('any journal', () => {
  it('keeps the total of each account and category exactly, in each dialect alike', () => {
    fc.assert(
      fc.property(book, (transactions) => {
        const [first, ...others] = DIALECTS.map((dialect) =>
          entriesOf(journalText(transactions, dialect), { format: dialect }).map(
            ({ line: _, ...entry }) => entry as Entry,
          ),
        );
        for (const other of others) assert.deepEqual(other, first);
        const postings = transactions.map(complete);
        const isMoney = ({ account }: BookPosting): boolean => MONEY.includes(account);
        const key = (one: BookPosting): string =>
          `${short(one.account)} ${one.currency.toLowerCase()}`;
        assert.deepEqual(
          totals(first!.map(({ account, currency, amount }) => [`${account} ${currency}`, amount])),
          totals(
            postings
              .flat()
              .filter(isMoney)
              .map((one) => [key(one), one.cents! * 100]),
          ),
        );
        // Categories count where cash moves in their currency.
        const moved = postings.flatMap((all) => {
          const moves = sums(all.filter(isMoney), key);
          const isMoved = ({ currency }: BookPosting): boolean =>
            [...moves].some(
              ([name, { cents }]) => name.endsWith(currency.toLowerCase()) && cents !== 0,
            );
          return all.filter((one) => !isMoney(one) && isMoved(one));
        });
        assert.deepEqual(
          totals(first!.flatMap(shares)),
          totals(moved.map((one) => [key(one), -one.cents! * 100])),
        );
      }),
      { numRuns: runs(250) },
    );
  });

  it('is read the same in chunks of any size and with any line ends', () => {
    const shape = fc.record({
      transactions: book,
      dialect: fc.constantFrom(...DIALECTS),
      chunkBytes: fc.integer({ min: 1, max: 50 }),
      lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
    });
    fc.assert(
      fc.property(shape, ({ transactions, dialect, chunkBytes, lineEnd }) => {
        const text = journalText(transactions, dialect);
        const options = { format: dialect };
        const source = sourceOf(text.replaceAll('\n', lineEnd), chunkBytes);
        assert.deepEqual(entriesOf(source, options), entriesOf(text, options));
      }),
      { numRuns: runs(100) },
    );
  });
});

it('lines are the same for pieces of any size and any line ends', () => {
  const text = fc
    .array(fc.constantFrom('a', '\r\n', '\n', '\r', ' '))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.array(fc.nat(3)), (whole, lengths) => {
      const pieces: string[] = [];
      let at = 0;
      for (const length of lengths) pieces.push(whole.slice(at, (at += length)));
      const read = [...new LineReader([...pieces, whole.slice(at)])];
      const lines = whole.split(/\r\n|\n|\r/);
      if (lines.at(-1) === '') lines.pop();
      assert.deepEqual(
        read,
        lines.map((line, nth) => ({ number: nth + 1, text: line })),
      );
    }),
  );
});
