import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchWords } from '@coffer/core/fold';
import fc from 'fast-check';
import { anyText } from '../../../../core/src/testing/any-text.ts';
import {
  isSearchCut,
  isUnfiltered,
  noFilter,
  readFilter,
  toParameters,
  writeFilter,
  readTyped,
  searchedIn,
} from './filter.ts';
import type { Filter } from './filter.ts';

const ids = fc.uniqueArray(fc.nat()).map((list) => list.toSorted((one, other) => one - other));
const filters: fc.Arbitrary<Filter> = fc.record({
  text: fc.string({ unit: 'grapheme' }).map((text) => text.trim()),
  payee: fc.string({ unit: 'grapheme' }),
  categoryIds: ids,
  tagIds: ids,
  manualAccountIds: ids,
  plaidAccountIds: ids,
  status: fc.constantFrom('all', 'reviewed', 'unreviewed'),
  only: fc.constantFrom('all', 'split', 'group', 'pending'),
  counts: fc.constantFrom('all', 'posted', 'spending', 'income', 'outflow'),
  recurringId: fc.option(fc.nat()),
  importId: fc.option(fc.nat()),
  sort: fc.constantFrom('-date', 'date', '-amount', 'amount', 'payee', '-payee'),
});

test('a filter survives the URL', () => {
  fc.assert(
    fc.property(filters, (filter) => {
      assert.deepEqual(readFilter(writeFilter(filter)), { ...filter });
    }),
  );
});

test('no filter is an empty query, and every query is a filter', () => {
  assert.equal(writeFilter(noFilter), '');
  assert.ok(isUnfiltered({ ...noFilter, sort: 'amount' }));
  fc.assert(
    fc.property(fc.string(), (query) => {
      const filter = readFilter(query);
      assert.deepEqual(readFilter(writeFilter(filter)), filter);
    }),
  );
});

const none = { words: '', startDate: null, endDate: null, minAmount: null, maxAmount: null };

test('ranges of amounts and dates are read out of what is typed', () => {
  for (const [text, expected] of [
    ['hotel 70..90', { words: 'hotel', minAmount: '70', maxAmount: '90' }],
    ['78.84', { minAmount: '78.84', maxAmount: '78.84' }],
    ['cafe 78,84', { words: 'cafe', minAmount: '78.84', maxAmount: '78.84' }],
    ['=100', { minAmount: '100', maxAmount: '100' }],
    ['>100', { minAmount: '100.0001' }],
    ['>=100 <200.5', { minAmount: '100.0000', maxAmount: '200.4999' }],
    ['<0', { maxAmount: '0.0000' }],
    ['> 78. .5', { words: '> 78. .5' }],
    ['70..', { minAmount: '70' }],
    ['..12,50', { maxAmount: '12.50' }],
    ['2026-03..05', { startDate: '2026-03-01', endDate: '2026-05-31' }],
    ['2026-02', { startDate: '2026-02-01', endDate: '2026-02-28' }],
    ['2024-02-03', { startDate: '2024-02-03', endDate: '2024-02-03' }],
    ['2025..2026', { startDate: '2025-01-01', endDate: '2026-12-31' }],
    ['..2026-04', { endDate: '2026-04-30' }],
    ['2026-04-10..', { startDate: '2026-04-10' }],
    ['12..05', { minAmount: '05', maxAmount: '12' }],
    ['90..70', { minAmount: '70', maxAmount: '90' }],
    ['40..9', { minAmount: '9', maxAmount: '40' }],
    ['2026..2025', { startDate: '2025-01-01', endDate: '2026-12-31' }],
    ['2026-05..03', { startDate: '2026-03-01', endDate: '2026-05-31' }],
    ['999999999999..', { words: '999999999999..' }],
    ['2026 a..b ..', { words: '2026 a..b ..' }],
  ] as const)
    assert.deepEqual(readTyped(text), { ...none, ...expected }, text);
});

test('no word is lost, whatever is typed', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,9}$/)), (words) => {
      assert.equal(readTyped(words.join('  ')).words, words.join(' '));
    }),
  );
});

test('a text is searched with at most ten words and 200 characters', () => {
  const letters = 'a b c d e f g h i j';
  for (const [text, words, isCut] of [
    ['Rewe\u00a0 Markt', 'Rewe Markt', false],
    [letters, letters, false],
    [`${letters} k 5..`, letters, true],
    [`ab ${'x'.repeat(198)} c`, 'ab', true],
    ['x'.repeat(300), 'x'.repeat(200), true],
    ['a\0b', 'a b', false],
  ] as const) {
    assert.equal(toParameters({ ...noFilter, text }).q, words);
    assert.equal(isSearchCut({ ...noFilter, text }), isCut, text);
  }
  fc.assert(
    fc.property(anyText({ maxLength: 600 }), (text) => {
      const { words } = searchedIn(text);
      assert.ok(words.length <= 200 && searchWords(words).length <= 10);
    }),
  );
});

test('the parameters of the API have only what filters', () => {
  assert.deepEqual(toParameters(noFilter), {});
  assert.deepEqual(toParameters({ ...noFilter, counts: 'posted' }), { is_pending: false });
  for (const counts of ['income', 'outflow'] as const)
    assert.deepEqual(toParameters({ ...noFilter, counts }), { counts_as: counts });
  assert.deepEqual(
    toParameters({ ...noFilter, text: 'bar 5..', categoryIds: [0, 7], status: 'unreviewed' }),
    { q: 'bar', min_amount: '5', category_ids: '0,7', status: 'unreviewed', is_pending: false },
  );
});
