import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { DemoBook, DemoTransaction } from './demo-book.ts';
import { makeDemoBook } from './make-demo-book.ts';

const defaultBook = makeDemoBook();
const defaultDigest = 'c53b72d8c9b1b0c886ec62b3f40b72c6f108bee166d5a2cc3af3b2b940314e7f';

function digest(book: DemoBook): string {
  return createHash('sha256').update(JSON.stringify(book)).digest('hex');
}

function count(predicate: (row: DemoTransaction) => boolean): number {
  return defaultBook.transactions.filter(predicate).length;
}

test('the default book is byte for byte the one that was pinned', () => {
  assert.equal(digest(defaultBook), defaultDigest);
});

test('the same options give a deep-equal book again, and the defaults can be spelled out', () => {
  assert.deepEqual(makeDemoBook({ transactions: 12_000, seed: 1 }), defaultBook);
  assert.deepEqual(
    makeDemoBook({ transactions: 777, seed: 9 }),
    makeDemoBook({ transactions: 777, seed: 9 }),
  );
});

test('the time zone of the machine has no part in it', (t) => {
  const zone = process.env['TZ'];
  t.after(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });
  for (const other of ['Pacific/Kiritimati', 'America/St_Johns', 'Etc/GMT+12']) {
    process.env['TZ'] = other;
    assert.equal(digest(makeDemoBook()), defaultDigest);
  }
});

test('nothing in the folder asks a clock, a locale or an inexact function, or imports from elsewhere', () => {
  const folder = new URL('.', import.meta.url);
  const sources = readdirSync(folder).filter((name) => !name.endsWith('.test.ts'));
  assert.ok(sources.length > 20);
  for (const name of sources) {
    const text = readFileSync(new URL(name, folder), 'utf8');
    assert.doesNotMatch(
      text,
      /\bDate\b[.(]|\bIntl\b|[lL]ocale[A-Z(]|performance\.|process\./,
      name,
    );
    assert.doesNotMatch(text, /Math\.(?!(floor|round|ceil|max|min|abs|imul)\()/, name);
    for (const [, from] of text.matchAll(/from '([^']+)'/g)) {
      assert.match(String(from), /^(\.\/[a-z-]+|\.\.\/transaction-query)\.ts$/, name);
    }
  }
});

test('another seed changes the rows and leaves the structure', () => {
  const other = makeDemoBook({ seed: 2 });
  assert.notDeepEqual(other.transactions, defaultBook.transactions);
  assert.deepEqual(other.categories, defaultBook.categories);
  assert.deepEqual(other.tags, defaultBook.tags);
  assert.deepEqual(other.manualAccounts, defaultBook.manualAccounts);
  assert.equal(other.transactions.length, 12_000);
});

test('every size has exactly the rows that were asked for, over the same ten years', () => {
  for (const transactions of [100, 101, 137, 999, 5_000, 11_999, 12_001, 60_000]) {
    const rows = makeDemoBook({ transactions }).transactions;
    assert.equal(rows.length, transactions);
    assert.equal(rows[0]?.date, '2016-11-01');
    assert.equal(rows.at(-1)?.date, '2026-10-31');
  }
});

test('a larger book has more purchases and each bill once, a smaller one a share of the bills', () => {
  const mortgages = [1_200, 12_000, 60_000].map((transactions) => {
    const book = makeDemoBook({ transactions });
    return book.transactions.filter(({ payee }) => payee === 'Keystone Home Loans').length;
  });
  assert.deepEqual(mortgages.slice(1), [72, 72]);
  assert.ok(Number(mortgages[0]) < 20, String(mortgages[0]));
});

test('the default book has the figures of a household', () => {
  assert.equal(defaultBook.transactions.length, 12_000);
  assert.equal(defaultBook.primaryCurrency, 'usd');
  assert.deepEqual([defaultBook.manualAccounts.length, defaultBook.plaidAccounts.length], [7, 3]);
  assert.equal(defaultBook.categories.filter(({ isGroup }) => isGroup).length, 8);
  assert.equal(defaultBook.categories.filter(({ isGroup }) => !isGroup).length, 49);
  assert.equal(defaultBook.tags.length, 14);
  assert.equal(
    count((row) => row.isSplitParent),
    40,
  );
  assert.equal(
    count((row) => row.isGroupParent),
    30,
  );
  assert.equal(
    count((row) => row.status === 'delete_pending'),
    2,
  );
  const pending = count((row) => row.isPending);
  assert.ok(pending >= 8 && pending <= 18, `${pending} pending rows`);
  const tagged = count((row) => row.tags.length > 0);
  assert.ok(tagged > 840 && tagged < 1_080, `${tagged} tagged rows`);
});

test('every year, currency, account, tag, source and category is in use in the default book', () => {
  const rows = defaultBook.transactions;
  const years = new Set(rows.map(({ date }) => date.slice(0, 4)));
  assert.equal(years.size, 11);
  const currencies = new Set(rows.map(({ currency }) => currency));
  assert.deepEqual([...currencies].toSorted(), ['cad', 'eur', 'gbp', 'jpy', 'usd']);
  const sources = new Set(rows.map(({ source }) => source));
  assert.deepEqual([...sources].toSorted(), ['api', 'csv', 'manual', 'plaid', 'split']);
  assert.equal(new Set(rows.flatMap(({ tags }) => tags)).size, 14);
  const categories = new Set(rows.map(({ category }) => category));
  assert.equal(categories.size, 49 + 1, 'every category and none');
  const accounts = new Set(rows.map((row) => `${row.manualAccount} ${row.plaidAccount}`));
  assert.equal(accounts.size, 6 + 3 + 1, 'every account but the car, and none');
});

test('the household earns a little more than it spends', () => {
  let saved = 0;
  for (const row of defaultBook.transactions) {
    const category = row.category === null ? undefined : defaultBook.categories[row.category];
    const isCounted = !row.isSplitParent && row.groupParent === null;
    if (isCounted && category?.excludeFromTotals !== true) saved -= row.toBase;
  }
  const dollars = saved / 10_000;
  assert.ok(dollars > 50_000 && dollars < 250_000, `${dollars} dollars in ten years`);
});

test('options out of bounds are refused', () => {
  for (const transactions of [99, 1_000_001, 500.5, Number.NaN, Infinity, -1]) {
    assert.throws(() => makeDemoBook({ transactions }), {
      name: 'RangeError',
      message: `Transactions must be a whole number from 100 to 1000000, not "${transactions}"`,
    });
  }
  for (const seed of [-1, 4_294_967_296, 0.5]) {
    assert.throws(() => makeDemoBook({ transactions: 100, seed }), RangeError);
  }
});
