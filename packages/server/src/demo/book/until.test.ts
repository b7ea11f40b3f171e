import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays } from '@coffer/core/dates';
import { moved, movedAnchor, spanUntil, monthNames } from './calendar.ts';
import type { DemoBook } from './demo-book.ts';
import { crypto } from './household.ts';
import { historyOf, makeDemoBook } from './make-demo-book.ts';

/** First and last days of months, a leap day and the days around it, and every day of a month. */
const ends = [
  ...[
    '2026-10-31',
    '2026-11-01',
    '2026-11-27',
    '2026-12-31',
    '2027-01-01',
    '2027-02-27',
    '2027-02-28',
  ],
  ...[
    '2028-02-28',
    '2028-02-29',
    '2028-03-01',
    '2027-04-29',
    '2027-04-30',
    '2019-06-15',
    '2031-12-05',
  ],
  ...Array.from({ length: 30 }, (_, at) => `2027-06-${String(at + 1).padStart(2, '0')}`),
];

/** All dates and months in the records of a book. */
function datesOf(book: DemoBook): string[] {
  const files = book.files!.map(({ name }) => /\d{4}-\d{2}-\d{2}/.exec(name)![0]);
  const metadata = book.transactions.flatMap(({ plaid_metadata }) =>
    plaid_metadata === null ? [] : /\d{4}-\d{2}-\d{2}/.exec(plaid_metadata)!,
  );
  return [
    ...[...files, ...metadata, book.madeAt!.slice(0, 10)],
    ...book.transactions.map(({ date }) => date),
    ...book.rates!.map(({ date }) => date),
    ...book.recurringItems!.map(({ anchor_date }) => anchor_date),
    ...book.budgets!.map(({ start_date }) => start_date),
    ...book.history!.map(({ month }) => month),
  ];
}

for (const until of ends)
  test(`a book until ${until} ends on that day, in its month, with nothing later`, () => {
    const book = makeDemoBook({ until });
    const month = until.slice(0, 7);
    assert.deepEqual(
      datesOf(book).filter((date) => date > until),
      [],
    );
    assert.equal(book.transactions.length, 12_000);
    const dates = book.transactions.map(({ date }) => date);
    assert.deepEqual(dates, dates.toSorted());
    assert.ok(dates.at(-1)! >= addDays(until, -1), dates.at(-1));
    assert.ok(dates.at(-1)!.startsWith(month) || until.endsWith('-01'), dates.at(-1));
    assert.equal(dates[0], moved(`${month}-01`, -119));
    const pending = book.transactions.filter(({ is_pending }) => is_pending);
    assert.ok(pending.length >= 5, String(pending.length));
    // A month of the tables may be a day shorter.
    assert.ok(pending.every(({ date }) => date >= addDays(until, -4)));
    assert.ok(book.budgets!.filter(({ start_date }) => start_date === `${month}-01`).length >= 10);
    assert.ok(book.history!.some((each) => each.month === month));
    const all = historyOf(book, crypto, book.transactions, {
      months: monthNames,
      span: spanUntil(until),
    });
    assert.ok(all.length > 900, String(all.length));
    for (const { kind, account, month, balance } of all)
      assert.ok(balance >= 0, `${kind} ${account} ${month}: ${balance}`);
  });

test('the same day gives the same book, and another day of the month other purchases', () => {
  const [one, other] = ['2027-02-28', '2027-02-27'].map((until) => makeDemoBook({ until }));
  assert.deepEqual(makeDemoBook({ until: '2027-02-28' }), one);
  assert.notDeepEqual(other!.transactions, one!.transactions);
});

test('without a move, the book is the one of the tables, but for the pending salary', () => {
  const [book, moving] = [makeDemoBook(), makeDemoBook({ until: '2026-10-31' })];
  const changed = moving.transactions.filter(
    (row, at) => row.is_pending !== book.transactions[at]!.is_pending,
  );
  assert.deepEqual(
    changed.map(({ date, payee }) => [date, payee]),
    [['2026-10-30', 'Northlight Health Systems Payroll']],
  );
  const { transactions, ...rest } = { ...moving, madeAt: undefined };
  const same = transactions.map((row) =>
    changed.includes(row) ? { ...row, is_pending: true } : row,
  );
  assert.deepEqual({ ...rest, transactions: same }, { ...book, madeAt: undefined });
});

test('a trip has the year in which it is', () => {
  const names = (until: string) =>
    makeDemoBook({ transactions: 100, until }).tags.map((tag) => tag.name);
  assert.ok(names('2026-11-27').includes('Berlin 2026'));
  assert.ok(names('2027-06-27').includes('Berlin 2027'));
});

test('dates move by months, to the last day of a shorter one; an anchor keeps its day', () => {
  assert.equal(moved('2026-01-31', 1), '2026-02-28');
  assert.equal(moved('2026-01-31', 25), '2028-02-29');
  assert.equal(moved('2026-01-15', -1), '2025-12-15');
  assert.equal(moved('2026-12', 1), '2027-01');
  assert.equal(movedAnchor('2025-01-30', 1), '2025-03-30');
  assert.equal(movedAnchor('2025-01-30', 2), '2025-03-30');
});

test('a last day that is none, or is out of bounds, is refused', () => {
  for (const until of ['2026-02-29', '1999-12-31', '3000-01-01', '2026-11', '2026-11-27T00:00', ''])
    assert.throws(() => makeDemoBook({ transactions: 100, until }), {
      name: 'RangeError',
      message: `The last day must be a date from 2000-01-01 to 2999-12-31, not "${until}"`,
    });
});
