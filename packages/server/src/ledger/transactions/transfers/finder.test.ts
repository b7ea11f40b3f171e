import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runs } from '../../../../../core/src/testing/length.ts';
import { findTransfers, type FinderRow } from './finder.ts';
import { householdMonth, type HouseholdMonth } from './testing/household-month.ts';

/** Names pairs so that equal rows of one day in one account are the same. */
function namesOf({ rows }: HouseholdMonth, pairs: readonly (readonly [number, number])[]) {
  const nameOf = (id: number) => {
    const { date, account, amount, currency } = rows.find((row) => row.id === id)!;
    return `${date} ${account} ${amount} ${currency}`;
  };
  return pairs.map((pair) => pair.map(nameOf).join(' > '));
}

/** Returns how many of some names are in a list, each once. */
function matching(some: readonly string[], of: readonly string[]): number {
  const left = [...of];
  return some.filter((name) => {
    const at = left.indexOf(name);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
}

it('of generated months, nearly all certain pairs are transfers, and nearly all transfers are found', () => {
  const total = { certain: 0, right: 0, labelled: 0, found: 0 };
  for (let number = 0; number < runs(2000); number += 1) {
    const month = householdMonth(number);
    const labels = namesOf(month, month.pairs);
    const found = findTransfers(month.rows, month.accounts);
    const certain = found.filter(({ isCertain }) => isCertain);
    const idsOf = (pairs: typeof found) =>
      pairs.map(({ sentId, receivedId }) => [sentId, receivedId] as const);
    total.certain += certain.length;
    total.right += matching(namesOf(month, idsOf(certain)), labels);
    total.labelled += labels.length;
    total.found += matching(namesOf(month, idsOf(found)), labels);
  }
  const { certain, right, labelled, found } = total;
  assert.ok(right / certain >= 0.995, `precision ${right / certain}`);
  assert.ok(found / labelled >= 0.95, `recall ${found / labelled}`);
  // Most banks name the other account, so most pairs need no user.
  assert.ok(certain / labelled >= 0.5, `certain ${certain / labelled}`);
});

const accounts = [
  { key: 'a', names: ['Everyday'], isOwed: false },
  { key: 'b', names: ['Rainy Day'], isOwed: false },
  { key: 'c', names: ['Voyager Card'], isOwed: true },
];
let ids = 0;
const row = (account: string, amount: number, text: string, more: Partial<FinderRow> = {}) => ({
  ...{ id: (ids += 1), date: '2026-03-10', amount, currency: 'eur', toBase: amount },
  ...{ account, text, ...more },
});
const found = (...rows: FinderRow[]) =>
  findTransfers(rows, accounts).map(({ isCertain, why }) => `${isCertain} ${why}`);

it('a number of the other account is certain, also with a fee, and one of a third account is not', () => {
  const out = row('a', 5_000_000, 'Anna', { other: 'b' });
  assert.deepEqual(found(out, row('b', -4_950_000, 'Anna', { date: '2026-03-15' })), [
    'true about the same amount 5 days apart; the bank gives the number of the other account',
  ]);
  assert.deepEqual(found(out, row('c', -5_000_000, 'Anna')), []);
  assert.deepEqual(found(out, row('b', -5_000_000, 'Anna', { date: '2026-03-16' })), []);
});

it('a name with a word for a transfer is certain, either alone is not', () => {
  const into = row('b', -100, 'Credit');
  const named = 'true the same amount on the same day; a text names the other account';
  assert.deepEqual(found(row('a', 100, 'Transfer to RAINY DAY'), into), [named]);
  assert.deepEqual(found(row('a', 100, 'Rainy Day'), into), [named.replace('true', 'false')]);
  const unnamed = named.replace('true', 'false').replace('a text names', 'no text names');
  assert.deepEqual(found(row('a', 100, 'Transfer'), into), [unnamed]);
  assert.deepEqual(found(row('a', 100, 'Rent'), into), [unnamed]);
});

it('of two rows that could be the other side, neither is certain, unless they are the same movement', () => {
  const out = () => row('a', 100, 'Transfer to Rainy Day');
  const into = (day: string) => row('b', -100, 'Credit', { date: day });
  const all = found(out(), into('2026-03-10'), into('2026-03-11'));
  assert.deepEqual(
    all.map((each) => each.slice(0, 5)),
    ['false'],
  );
  const twice = found(out(), out(), into('2026-03-10'), into('2026-03-10'));
  assert.deepEqual(
    twice.map((each) => each.slice(0, 4)),
    ['true', 'true'],
  );
});

it('what a shop sends back is no payment of a card', () => {
  const bill = row('a', 100, 'Credit card bill');
  const why = 'the same amount on the same day; a payment of a card';
  assert.deepEqual(found(bill, row('c', -100, 'Payment received')), [`true ${why}`]);
  assert.deepEqual(found(bill, row('c', -100, 'Refund payment received')), [`false ${why}`]);
  const shop = row('a', 100, 'Online payment shop');
  assert.match(found(shop, row('c', -100, 'Online payment shop'))[0]!, /^false/);
});
