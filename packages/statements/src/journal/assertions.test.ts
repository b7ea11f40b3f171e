import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JournalFormat } from '../bytes/detect-journal.ts';
import { readStatement } from '../read-statement.ts';
import { sourceOf } from '../testing/sources.ts';

function warned(format: JournalFormat, ...lines: readonly string[]): string[] {
  const { warnings = [] } = readStatement(sourceOf(`${lines.join('\n')}\n`), { format });
  return warnings.map(({ line, text }) => `${line}: ${text}`);
}

/** A transaction of 5 dollars from cash to food, which states the balance of cash. */
const paid = (date: string, balance: string): string[] => [
  `${date} x`,
  `  Assets:Cash  $-5 ${balance}`,
  '  Expenses:Food',
];

describe('balances that a journal states', () => {
  it('are checked in ledger and hledger, and a break is reported once', () => {
    const one = paid('2024-01-01', '= $-5');
    for (const format of ['ledger', 'hledger'] as const) {
      assert.deepEqual(warned(format, ...one, ...paid('2024-01-02', '= $-10.00')), []);
      assert.deepEqual(
        warned(
          format,
          ...[...one, ...paid('2024-01-02', '= $90'), ...paid('2024-01-03', '= $85')],
          ...paid('2024-01-04', '= $81'),
        ),
        [
          '5: Balance of "Assets:Cash" is stated as 90 $, but -10 $ follows from the transactions',
          '11: Balance of "Assets:Cash" is stated as 81 $, but 80 $ follows from the transactions',
        ],
      );
    }
  });

  it('may include other accounts, name a lot, and follow the order of dates or of lines', () => {
    const below = ['2024-01-01 x', '  Assets:Cash:Purse  $5', '  Income:Gift'];
    assert.deepEqual(warned('hledger', ...below, ...paid('2024-01-02', '=* $0')), []);
    assert.equal(warned('hledger', ...below, ...paid('2024-01-02', '= $0')).length, 1);
    const byDate = [...paid('2024-01-02', '= $-10'), ...paid('2024-01-01', '= $-5')];
    const byLine = [...paid('2024-01-02', '= $-5'), ...paid('2024-01-01', '= $-10')];
    assert.deepEqual(warned('hledger', ...byDate), []);
    assert.deepEqual(warned('hledger', ...byLine), []);
    const lot = ['2024-01-01 x', '  Assets:Broker  2 X @ $3 = 2 X @@ $4', '  Assets:Cash  $-6'];
    assert.deepEqual(warned('hledger', ...lot), []);
    assert.equal(warned('hledger', ...lot.with(1, '  Assets:Broker  2 X @ $3 = 3 X')).length, 1);
  });

  it('are not checked if other files, virtual postings or rules may add to them', () => {
    const wrong = paid('2024-01-01', '= $7');
    assert.equal(warned('ledger', ...wrong).length, 1);
    const others = ['include x.ledger', '2024-01-01 y\n  (Assets:Cash)  $12', '= /x/\n  A  1'];
    for (const other of others) {
      const found = warned('ledger', ...wrong, other);
      assert.ok(!found.some((text) => text.includes('Balance')), found.join());
    }
  });

  it('are those of the morning in beancount, with its tolerances and what pads add', () => {
    const cash = ['2024-01-01 * "x"', '  Assets:Cash:Purse  5.00 USD', '  Income:Gift'];
    const balance = (text: string): string[] => [...cash, `2024-01-02 balance Assets:Cash ${text}`];
    for (const right of ['5.00 USD', '5.01 USD', '4 ~ 1 USD']) {
      assert.deepEqual(warned('beancount', ...balance(right)), [], right);
    }
    const late = [...cash, '2024-01-01 balance Assets:Cash 0.00 USD'];
    assert.deepEqual(warned('beancount', ...late), []);
    assert.deepEqual(warned('beancount', ...balance('5.02 USD')), [
      '4: Balance of "Assets:Cash" is stated as 5.02 USD, but 5 USD follows from the transactions',
    ]);
    const padded = [...balance('90.00 USD'), '2024-01-01 pad Assets:Cash Equity:Opening'];
    assert.deepEqual(warned('beancount', ...padded), []);
  });
});

it('reads drafts, transactions of one posting, without a category', () => {
  const text = '2024-01-31 * "Shop"\n  Assets:Cash  -5.00 USD\n'.repeat(2);
  const statement = readStatement(sourceOf(text));
  const read = [...statement.entries()].map(({ amount, category, notes, payee }) => [
    ...[amount, category],
    ...[notes, payee],
  ]);
  assert.deepEqual(read, [
    [-50_000, null, null, 'Shop'],
    [-50_000, null, null, 'Shop'],
  ]);
  assert.deepEqual(statement.warnings, [
    { line: 1, text: '2 transactions have only one posting: read without a category' },
  ]);
  const elsewhere = text.replaceAll('Assets:Cash', 'Expenses:Food');
  assert.throws(() => readStatement(sourceOf(elsewhere)), { name: 'StatementError' });
});
