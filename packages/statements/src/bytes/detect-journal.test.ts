import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { detectFormat } from './detect-format.ts';

const JOURNALS = {
  beancount: [
    '2024-01-31 open Assets:Cash\n',
    ';; comment\n* Heading\n2024-01-31 * "Shop"\n  Assets:Cash  5 USD\n',
    'option "title" "x"\n',
    `${'; long comment\n'.repeat(1_000)}2024-01-31 txn "Shop"\n`,
  ],
  hledger: [
    '# hledger\n2024-01-31 Shop\n    Assets:Cash  $5\n    Income\n',
    'account Assets:Cash  ; type: C\n\n2024-01-31 Shop | x\n    a  5\n    b\n',
    'decimal-mark ,\n',
  ],
  ledger: [
    '2024/01/31 * Shop, the\n  Assets:Cash  $5\n  Income\n',
    '01/31\n\tCash\t$5\n\tIncome\n',
    '\uFEFF; -*- ledger -*-\r\n\r\n= /Food/\r\n  (x)  1\r\n\r\n2024/1/31=2/1 (12) 7 Eleven\r\n  a  $5\r\n  b\r\n',
    'comment\nDate,Amount\nend comment\n!account Home:x\n2024.1.31 x\n  ; note\n  a:b\n',
    `${'; long comment\n'.repeat(1_000)}2024/01/31 x\n  a:b  5\n  c\n2024/01/31 cut`,
  ],
} as const;
const OTHERS = [
  'Date,Amount\n2024-01-31,5\n',
  '2024-01-31,"Shop\n  Mall:West  5"\n2024-02-01,5,x\n',
  '2024-01-31;5;x\n  continued: 5\n',
  '2024-01-31\t5\tShop\n  more: 5\n',
  '31.01.2024 5,00 Shop\n32.01.2024 6,00 Shop\n',
  'account;date;amount\nAssets:Cash;2024-01-31;5\n',
  'account,type\nx:y,5\n',
  '; comment\n# comment\n',
  'Statement of account\n2024-01-31 Shop\n    Card: 5\n',
  '',
];

describe('detection of journals', () => {
  it('recognizes each format by its content', () => {
    for (const [format, texts] of Object.entries(JOURNALS)) {
      for (const text of texts) {
        assert.equal(detectFormat(Buffer.from(text)), format, JSON.stringify(text.slice(-80)));
      }
    }
  });

  it('leaves tables and other texts alone', () => {
    for (const text of OTHERS) assert.equal(detectFormat(Buffer.from(text)), 'csv', text);
    assert.equal(detectFormat(Buffer.from('!Account\nNCash\n^\n')), 'qif');
  });
});
