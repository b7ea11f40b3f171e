import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { entriesOf, errorOf } from '../testing/reading.ts';

describe('hostile journals', () => {
  const ledger = (text: string): string => errorOf(text, { format: 'ledger' }).message;
  const beancount = (text: string): string => errorOf(text, { format: 'beancount' }).message;
  const head = '2024/1/1 x\n  Assets:Cash  $5\n  Income:X\n';

  it('are refused at a line of more than 1 MiB and at NUL', () => {
    const long = 'x'.repeat(2_000_000);
    assert.match(ledger(`${head}; ${long}`), /^Line 4: Line is longer than 1048576 characters/);
    assert.match(ledger(`${head}; ${long}\n${head}`), /^Line 4: Line is longer/);
    assert.match(ledger(`${head}\0x`), /^Line 4: NUL character/);
    assert.match(
      beancount(`2024-01-01 * "${'x\n'.repeat(600_000)}`),
      /^Line 1: String is never closed/,
    );
  });

  it('are refused for deep nesting and endless lists', () => {
    const cash = (amount: string): string => `2024/1/1 x\n  Assets:Cash  ${amount}\n  Income:X\n`;
    assert.match(ledger(cash(`${'('.repeat(2_000)}1${')'.repeat(2_000)}`)), /nested parentheses/);
    assert.match(ledger(cash('('.repeat(1e6))), /Not an amount/);
    assert.match(ledger(cash('9'.repeat(65))), /Not an amount/);
    assert.match(
      ledger('apply account a\n'.repeat(101)),
      /^Line 101: More than 100 nested "apply"/,
    );
    assert.match(ledger('alias a=b\n'.repeat(1_001)), /^Line 1001: More than 1000 aliases/);
    assert.match(ledger(`2024/1/1\n${'  a:b  1\n'.repeat(10_001)}`), /^Line 1: .*10000 postings/);
    const accounts = Array.from({ length: 20_001 }, (_, nth) => ` a:${nth}  1`).join(
      '\n2024/1/1\n b\n',
    );
    assert.match(ledger(`2024/1/1\n${accounts}`), /more than 20000 accounts/);
    const deep = `A${':a'.repeat(600)}`;
    assert.match(ledger(`2024/1/1\n  ${deep}  1\n  b\n`), /Account is longer than 1000 characters/);
  });

  it('end for circular aliases, and refuse those that grow', () => {
    const circle = 'alias a = b\nalias b = a\n2024/1/1\n  a  $5\n  c\n';
    assert.equal(entriesOf(circle, { format: 'ledger' }).length, 2);
    const growing = `${'alias a = a:a:a:a:a:a:a\n'.repeat(900)}2024/1/1\n  a:b  $5\n  c\n`;
    assert.match(ledger(growing), /Account is longer than 1000 characters/);
  });
});
