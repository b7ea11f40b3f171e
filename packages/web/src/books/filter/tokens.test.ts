import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { noFilter, type Filter } from './filter.ts';
import { suggestionsFor, tokensIn, withoutTokens, type SearchWords } from './tokens.ts';

const words: SearchWords = {
  keys: {
    category: 'category',
    tag: 'tag',
    account: 'account',
    payee: 'payee',
    is: 'is',
    no: 'no',
  },
  is: {
    reviewed: 'reviewed',
    unreviewed: 'unreviewed',
    split: 'split',
    group: 'group',
    pending: 'pending',
  },
  no: { category: 'category', tag: 'tag' },
  months: ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August'],
};
const names = {
  categories: [
    { id: 3, name: 'Groceries' },
    { id: 4, name: 'Eating out' },
  ],
  tags: [{ id: 7, name: 'Lisbon trip' }],
  accounts: new Map([
    ['manual:5', 'Wallet'],
    ['plaid:6', 'Checking'],
  ]),
};
const read = (text: string): Filter => withoutTokens({ ...noFilter, text }, names, words);

test('what has a key becomes a filter, and the rest stays text', () => {
  for (const [text, expected] of [
    ['category:groc', { categoryIds: [3] }],
    ['Category:"eating out" 70..90 hotel', { categoryIds: [4], text: '70..90 hotel' }],
    ['category:groceries category:eating', { categoryIds: [3, 4] }],
    ['tag:lisbon account:wallet', { tagIds: [7], manualAccountIds: [5] }],
    ['account:check', { plaidAccountIds: [6] }],
    ['payee:"Corner Grocer"', { payee: 'Corner Grocer' }],
    ['is:split x', { only: 'split', text: 'x' }],
    ['is:Unreviewed is:pending', { status: 'unreviewed', only: 'pending' }],
    ['no:category', { categoryIds: [0] }],
    ['no:tag', { tagIds: [0] }],
    ['march 2026 hotel', { text: '2026-03 hotel' }],
    ['may day', { text: 'may day' }],
    ['category:xyz is:what no:payee http://x', { text: 'category:xyz is:what no:payee http://x' }],
    ['category: is:', { text: 'category: is:' }],
  ] as const)
    assert.deepEqual(read(text), { ...noFilter, ...expected }, text);
});

test('no word is lost, whatever is typed', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z0-9.<>"]{1,9}$/)), (list) => {
      const text = list.join(' ');
      const found = tokensIn(text, words).map(({ at }, place, all) =>
        text.slice(at, all[place + 1]?.at).trim(),
      );
      assert.equal(found.join('').replaceAll(' ', ''), text.replaceAll(' ', ''));
    }),
  );
});

const suggested = (text: string, payees: readonly string[] = []): string[] =>
  suggestionsFor(text, names, payees, words, '2026-05-20').map(
    ({ kind, name }) => `${kind} ${name}`,
  );

test('the last word is suggested as what it can mean', () => {
  assert.deepEqual(suggested('hotel groc'), ['category Groceries']);
  assert.deepEqual(suggested('li', ['Lidl']), ['tag Lisbon trip', 'payee Lidl']);
  assert.deepEqual(suggested('account:'), ['account Wallet', 'account Checking']);
  assert.deepEqual(suggested('mar'), ['month March 2026', 'month March 2025']);
  assert.deepEqual(suggested('jun'), ['month June 2025', 'month June 2024']);
  assert.deepEqual(suggested('spl'), ['is is:split']);
  assert.deepEqual(suggested('no:'), ['no no:category', 'no no:tag']);
  for (const text of ['', 'g', '70', '2026-03', '>10', 'gro '])
    assert.deepEqual(suggested(text), []);
});

test('a suggestion that is chosen narrows the filter', () => {
  const apply = (text: string) => {
    const [first] = suggestionsFor(text, names, [], words, '2026-05-20');
    return first!.apply({ ...noFilter, text: 'hotel' });
  };
  assert.deepEqual(apply('gro').categoryIds, [3]);
  assert.deepEqual(apply('wal').manualAccountIds, [5]);
  assert.equal(apply('apr').text, 'hotel 2026-04');
  assert.equal(apply('pend').only, 'pending');
});
