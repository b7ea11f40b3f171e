import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JournalFormat } from '../bytes/detect-journal.ts';
import { errorOf, shownOf, warningsOf } from '../testing/reading.ts';

const warned = (format: JournalFormat, ...parts: readonly string[]): string[] =>
  warningsOf(`${parts.join('\n')}\n`, { format });
/** A transaction of 5 dollars from cash to food, which states the balance of cash. */
const paid = (date: string, balance: string): string =>
  `${date} x\n  Assets:Cash  $-5 ${balance}\n  Expenses:Food`;

describe('balances that a journal states', () => {
  it('are checked in ledger and hledger, and a break is reported once', () => {
    const one = paid('2024-01-01', '= $-5');
    const breaks = [one, paid('2024-01-02', '= $90'), paid('2024-01-03', '= $85')];
    for (const format of ['ledger', 'hledger'] as const) {
      assert.deepEqual(warned(format, one, paid('2024-01-02', '= $-10.00')), []);
      assert.deepEqual(warned(format, ...breaks, paid('2024-01-04', '= $81')), [
        '5: Balance of "Assets:Cash" is stated as 90 $, but -10 $ follows from the transactions',
        '11: Balance of "Assets:Cash" is stated as 81 $, but 80 $ follows from the transactions',
      ]);
    }
  });

  it('may include other accounts, name a lot, and follow the order of dates or of lines', () => {
    const below = '2024-01-01 x\n  Assets:Cash:Purse  $5\n  Income:Gift';
    assert.deepEqual(warned('hledger', below, paid('2024-01-02', '=* $0')), []);
    assert.equal(warned('hledger', below, paid('2024-01-02', '= $0')).length, 1);
    const byDate = [paid('2024-01-02', '= $-10'), paid('2024-01-01', '= $-5')];
    const byLine = [paid('2024-01-02', '= $-5'), paid('2024-01-01', '= $-10')];
    for (const both of [byDate, byLine]) assert.deepEqual(warned('hledger', ...both), []);
    const lot = (balance: string): string =>
      `2024-01-01 x\n  Assets:Broker  2 X @ $3 = ${balance}\n  Assets:Cash  $-6`;
    assert.deepEqual(warned('hledger', lot('2 X @@ $4')), []);
    assert.equal(warned('hledger', lot('3 X')).length, 1);
  });

  it('are not checked if other files, virtual postings or rules may add to them', () => {
    const wrong = paid('2024-01-01', '= $7');
    assert.equal(warned('ledger', wrong).length, 1);
    for (const other of ['include x.ledger', '2024-01-01 y\n  (Assets:Cash)  $12', '= /x/\n  A  1'])
      assert.doesNotMatch(warned('ledger', wrong, other).join(), /Balance/);
  });

  it('are those of the morning in beancount, with its tolerances and what pads add', () => {
    const cash = '2024-01-01 * "x"\n  Assets:Cash:Purse  5.00 USD\n  Income:Gift';
    const balance = (text: string): string => `${cash}\n2024-01-02 balance Assets:Cash ${text}`;
    for (const right of ['5.00 USD', '5.01 USD', '4 ~ 1 USD'])
      assert.deepEqual(warned('beancount', balance(right)), [], right);
    const same = warned('beancount', cash, '2024-01-01 balance Assets:Cash 0.00 USD');
    assert.deepEqual(same, []);
    assert.deepEqual(warned('beancount', balance('5.02 USD')), [
      '4: Balance of "Assets:Cash" is stated as 5.02 USD, but 5 USD follows from the transactions',
    ]);
    const pad = '2024-01-01 pad Assets:Cash Equity:Opening';
    assert.deepEqual(warned('beancount', balance('90.00 USD'), pad), []);
  });
});

it('reads drafts, transactions of one posting, without a category', () => {
  const text = '2024-01-31 * "Shop"\n  Assets:Cash  -5.00 USD\n'.repeat(2);
  const drafts = shownOf(text, 'amount category notes payee');
  assert.deepEqual(drafts, ['-5 | - | - | Shop', '-5 | - | - | Shop']);
  assert.deepEqual(warningsOf(text), [
    '1: 2 transactions have only one posting: read without a category',
  ]);
  errorOf(text.replaceAll('Assets:Cash', 'Expenses:Food'));
});
