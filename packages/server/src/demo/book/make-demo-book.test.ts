import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { dayAt, dayOn, lastDay } from './calendar.ts';
import type { DemoBook, DemoTransaction } from './demo-book.ts';
import { Random, type Draft } from './drafts.ts';
import { Ledger, makeDemoBook } from './make-demo-book.ts';

const defaultBook = makeDemoBook();
const defaultDigest = 'aec0e8a561c0c63865af6f2cf9fabc308b66cf540e4cf180a74057d7da3cba9e';

function digest(book: DemoBook): string {
  return createHash('sha256').update(JSON.stringify(book)).digest('hex');
}

function count(predicate: (row: DemoTransaction) => boolean): number {
  return defaultBook.transactions.filter(predicate).length;
}

test('the default book is always the same, byte for byte, in any time zone', (t) => {
  const { TZ: zone } = process.env;
  t.after(() => (zone === undefined ? delete process.env.TZ : (process.env.TZ = zone)));
  for (const other of ['UTC', 'Pacific/Kiritimati', 'America/St_Johns', 'Etc/GMT+12']) {
    process.env.TZ = other;
    assert.equal(digest(makeDemoBook()), defaultDigest);
  }
});

test('equal options give equal books, and another seed one of the same structure', () => {
  assert.deepEqual(makeDemoBook({ transactions: 12_000, seed: 1 }), defaultBook);
  const options = { transactions: 777, seed: 9 };
  assert.deepEqual(makeDemoBook(options), makeDemoBook(options));
  const other = makeDemoBook({ seed: 2 });
  assert.notDeepEqual(other.transactions, defaultBook.transactions);
  assert.equal(other.transactions.length, 12_000);
  const details = { transactions: [], plaidAccounts: [], history: [], files: [] };
  assert.deepEqual({ ...other, ...details }, { ...defaultBook, ...details });
});

test('the generator uses no clock, locale or inexact function, and imports only core', () => {
  const folder = new URL('.', import.meta.url);
  const sources = readdirSync(folder).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'fill.ts',
  );
  assert.ok(sources.length > 5);
  for (const name of sources) {
    const text = readFileSync(new URL(name, folder), 'utf8');
    assert.doesNotMatch(text, /\bDate\b[.(]|\bIntl\b|[lL]ocale[A-Z(]|performance\.|process\./);
    assert.doesNotMatch(text, /Math\.(?!(floor|round|ceil|max|min|abs|imul)\()/, name);
    for (const [, from] of text.matchAll(/from '([^']+)'/g)) {
      assert.match(String(from), /^(\.\/[a-z-]+\.ts|@coffer\/core\/.*)$/, name);
    }
  }
});

test('every size has exactly the requested rows, over the same ten years', () => {
  for (const transactions of [100, 101, 137, 999, 5_000, 11_999, 12_001, 60_000]) {
    const rows = makeDemoBook({ transactions }).transactions;
    const figures = [rows.length, rows[0]?.date, rows.at(-1)?.date];
    assert.deepEqual(figures, [transactions, '2016-11-01', '2026-10-31']);
  }
});

test('a larger book has more purchases and each bill once, a smaller one fewer bills', () => {
  const mortgages = [1_200, 12_000, 60_000].map((transactions) => {
    const book = makeDemoBook({ transactions });
    return book.transactions.filter(({ payee }) => payee === 'Keystone Home Loans').length;
  });
  assert.deepEqual(mortgages.slice(1), [72, 72]);
  assert.ok(Number(mortgages[0]) < 20, String(mortgages[0]));
});

test('the default book has the figures of a household', () => {
  const { transactions, categories, primaryCurrency } = defaultBook;
  const groups = categories.filter((each) => each.is_group);
  assert.deepEqual([transactions.length, groups.length, primaryCurrency], [12_000, 8, 'usd']);
  const parents = [count((row) => row.is_split_parent), count((row) => row.is_group_parent)];
  assert.deepEqual([...parents, count((row) => row.status === 'delete_pending')], [40, 30, 2]);
  const [pending, tagged] = [count((row) => row.is_pending), count((row) => row.tags.length > 0)];
  assert.ok(pending >= 8 && pending <= 18, `${pending} pending rows`);
  assert.ok(tagged > 840 && tagged < 1_080, `${tagged} tagged rows`);
});

test('the default book uses every year, currency, account, tag, source and category', () => {
  const rows = defaultBook.transactions;
  const used = (value: (row: DemoTransaction) => unknown) => new Set(rows.map(value));
  assert.equal(used(({ date }) => date.slice(0, 4)).size, 11);
  const currencies = [...used(({ currency }) => currency)].toSorted();
  assert.deepEqual(currencies, ['cad', 'eur', 'gbp', 'jpy', 'usd']);
  const sources = [...used(({ source }) => source)].toSorted();
  assert.deepEqual(sources, ['api', 'csv', 'manual', 'plaid', 'split']);
  assert.equal(new Set(rows.flatMap(({ tags }) => tags)).size, 14);
  assert.equal(used(({ category }) => category).size, 49 + 1, 'every category and none');
  const accounts = used((row) => `${row.manualAccount} ${row.plaidAccount}`);
  assert.equal(accounts.size, 6 + 3 + 1, 'every account but the car, and none');
});

test('the household earns a little more than it spends', () => {
  let saved = 0;
  for (const row of defaultBook.transactions) {
    const category = row.category === null ? undefined : defaultBook.categories[row.category];
    const isCounted = !row.is_split_parent && row.groupParent === null;
    if (isCounted && category?.exclude_from_totals !== true) saved -= row.to_base;
  }
  assert.ok(saved > 500_000_000 && saved < 2_500_000_000, `${saved} ten-thousandths in ten years`);
});

test('options out of bounds are refused', () => {
  for (const transactions of [99, 1_000_001, 500.5, Number.NaN, Infinity, -1]) {
    const message = `Transactions must be a whole number from 100 to 1000000, not "${transactions}"`;
    assert.throws(() => makeDemoBook({ transactions }), { name: 'RangeError', message });
  }
  for (const seed of [-1, 4_294_967_296, 0.5])
    assert.throws(() => makeDemoBook({ transactions: 100, seed }), RangeError);
});

test('parts of the generator refuse what is outside the book, and nothing to pick from', () => {
  const random = new Random(1);
  const shop: Draft = {
    day: dayOn('2019-01-10'),
    account: 'travelCard',
    bankName: 'SHOP',
    amount: 100,
    currency: 'usd',
    payee: 'Shop',
    category: 'Groceries',
  };
  const write = (fields: Partial<Draft>) => () =>
    new Ledger().write({ ...shop, ...fields }, random);
  for (const [work, message] of [
    [() => random.pick([]), /^There is nothing to pick from$/],
    [() => random.pickWeighted([], [1]), /^There is nothing to pick from$/],
    [() => dayAt(-1), /^Day "-1" is outside the demo book$/],
    [() => dayAt(lastDay + 1), /outside the demo book/],
    [() => dayOn('2016-10-31'), /./],
    [() => dayOn('2026-11-01'), /./],
    [write({ parent: { ...shop, parentOf: 'split' } }), /^The parent "Shop" must be written first/],
    [write({ category: 'Nowhere' }), /^"Nowhere" is not in the tables$/],
  ] as const)
    assert.throws(work, { message });
});
