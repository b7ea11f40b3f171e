import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose } from './options.ts';

const records = [
  { id: 1, names: ['Checking'] },
  { id: 2, names: ['Wallet', 'Cash'] },
  { id: 3, names: [null] },
  { id: 4, names: ['4'] },
  { id: 5, names: ['4', 'CHECKING'] },
];
const idOf = (wanted: string, all = records): number =>
  choose(all, wanted, 'The book "B"', ['account', 'accounts']).id;

test('a record is chosen by its id, or by any of its names in any letter case', () => {
  assert.deepEqual(
    ['3', ' 2 ', 'wallet', ' CASH'].map((wanted) => idOf(wanted)),
    [3, 2, 2, 2],
  );
});

test('an id is preferred to a name', () => {
  assert.equal(idOf('4'), 4);
});

for (const [what, wanted, all, message] of [
  [
    'a name that several records have',
    'checking',
    records,
    '2 accounts named "checking". Choose one by its id: 1 "Checking", 5 "4"',
  ],
  [
    'an unknown name',
    'Chekcing',
    records.slice(0, 3),
    'no account "Chekcing". The accounts are: 1 "Checking", 2 "Wallet", 3',
  ],
  ['an unknown id', '03', records.slice(0, 1), 'no account "03". The accounts are: 1 "Checking"'],
  ['an empty list', 'x', [], 'no accounts'],
] as const) {
  test(`${what} is refused, and the possible ones are listed`, () => {
    const refused = { exitCode: 1, message: `The book "B" has ${message}` };
    assert.throws(() => idOf(wanted, [...all]), refused);
  });
}
