import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Statement } from '@coffer/statements/src/statement/statement.ts';
import { planAccounts, readAccountNames, whatWins } from './account-plan.ts';

const words = { file: '"may.ofx"', option: '--account' };

/** A file with accounts of these numbers. Those of `empty` have no entries. */
function fileOf(numbers: readonly string[], empty: readonly string[] = []): Statement {
  const accounts = [...numbers, ...empty].map((id) => ({
    id,
    name: `Checking ${id.slice(-4)}`,
    bankId: null,
    balances: [],
    entryCount: numbers.includes(id) ? 1 : 0,
  }));
  return { accounts } as unknown as Statement;
}
const one = fileOf(['00-1111'], ['00-3333']);
const two = fileOf(['00-1111', '00-2222'], ['00-3333']);

test('accounts of a file are named by their numbers, or the ends of these, and the rest by a bare name', () => {
  for (const [file, values, names] of [
    [one, [], [null]],
    [one, ['Everyday'], ['Everyday']],
    [two, [], [null, null]],
    [two, ['1111=A', '00 2222=B=b'], ['A', 'B=b']],
    [two, ['Rest', '1111=A'], ['A', 'Rest']],
  ] as const) {
    const { accounts, defaultAccount } = planAccounts(file, readAccountNames(values), words);
    const given = [...accounts.values()].map(({ number, name }) => [number, name]);
    const numbers = file.accounts.filter(({ entryCount }) => entryCount > 0).map(({ id }) => id);
    assert.deepEqual(
      given,
      numbers.map((number, at) => [number, names[at]]),
    );
    assert.equal(defaultAccount, values.find((value) => !value.includes('=')) ?? null);
  }
});

test('names are refused that are ambiguous or missing, and the error lists the accounts', () => {
  for (const [file, values, message] of [
    [
      two,
      ['Everyday'],
      /^"may.ofx" has several accounts: "Checking 1111" and "Checking 2222"\. Name/,
    ],
    [two, ['1111=A'], /^--account gives no name for "Checking 2222" of "may.ofx"/],
    [
      one,
      ['1111=A', '001111=B'],
      /^--account gives "A" and "B" to the same account "Checking 1111"/,
    ],
    [one, ['A', 'B'], /^give only one name without a number, not "A" and "B"/],
    [one, ['111=A'], /^"111=A" needs at least the last 4 characters of the number/],
    [one, ['1111='], /^"1111=" is not a valid name/],
  ] as const)
    assert.throws(() => planAccounts(file, readAccountNames(values), words), { message });
});

test('a name wins over the accounts of a table, which others name by number, or only where there is none', () => {
  const columns = [{ key: 'account', number: 3, name: 'IBAN', isFallback: false }];
  const table = { accounts: [], mapping: { columns } } as unknown as Statement;
  for (const [values, accounts] of [
    [[], [null, 'DE12 0002']],
    [['Giro'], ['Giro', 'Giro']],
    [['=Giro'], ['Giro', 'DE12 0002']],
    [
      ['=Giro', '120002=Card'],
      ['Giro', 'Card'],
    ],
    [
      ['Giro', '0002=Card'],
      ['Giro', 'Card'],
    ],
  ] as const) {
    const names = readAccountNames(values);
    const { accountOf } = planAccounts(table, names, words);
    assert.deepEqual(
      [null, 'DE12 0002'].map((named) => accountOf?.(named)),
      accounts,
    );
    const isSaid = whatWins(table, names, 'account');
    const said = 'account "Giro" wins over the accounts in column "IBAN"';
    assert.equal(isSaid, values[0] === 'Giro' ? said : null);
  }
});
