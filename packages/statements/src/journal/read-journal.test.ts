import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readStatement } from '../read-statement.ts';
import { entriesOf, errorOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

const DATA = join(import.meta.dirname, '../../../../../shared/data');
const skip = existsSync(DATA) ? false : 'the real files are missing';

interface Expected {
  readonly file: string;
  readonly count: number;
  readonly first: { readonly date: string; readonly payee: string | null };
  readonly date_min: string;
  readonly date_max: string;
}

describe('real journals', { skip }, () => {
  const expected = skip
    ? []
    : (JSON.parse(readFileSync(join(DATA, 'expected.json'), 'utf8')) as Expected[]);
  for (const { file, count, first, date_min, date_max } of expected) {
    if (!file.includes('journal-')) continue;
    it(`reads all transactions of ${file}`, () => {
      const bytes = readFileSync(join(DATA, file));
      const statement = readStatement(sourceOf(bytes));
      assert.equal(statement.transactionCount, count);
      const entries = [...statement.entries()];
      assert.equal(entries.length, statement.entryCount);
      assert.equal(entries[0]!.date, first.date);
      assert.equal(entries[0]!.payee, (first.payee ?? '').replaceAll('"', ''));
      const dates = entries.map(({ date }) => date).toSorted();
      assert.ok(dates[0]! >= date_min && dates.at(-1)! <= date_max);
      for (const { amount, parts = [] } of entries) {
        const total = parts.reduce((sum, part) => sum + part.amount, 0);
        assert.equal(parts.length === 0 ? amount : total, amount);
      }
      const again = readStatement(sourceOf(bytes, 1009));
      assert.deepEqual([...again.entries()], entries);
    });
  }

  it('agrees with every balance that example.beancount states', () => {
    const text = readFileSync(join(DATA, 'statements/journal-beancount/example.beancount'), 'utf8');
    const entries = entriesOf(text);
    const checks = [
      ...text.matchAll(/^(\S+) balance (?:Assets|Liabilities):(\S+) +(-?[\d.]+) USD$/gm),
    ];
    for (const [, day = '', account, balance] of checks) {
      const before = entries.filter((entry) => entry.account === account && entry.date < day);
      const total = before.reduce((sum, { amount }) => sum + amount, 0);
      assert.ok(Math.abs(total - Math.round(Number(balance) * 10_000)) <= 100, `${day} ${account}`);
    }
    assert.equal(checks.length, 89);
  });
});

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

  it('take time in proportion to their length', () => {
    const shapes = [
      ...[
        '; a: b: c: d, ',
        ':a',
        '[2024/',
        'a|b | ',
        '((((',
        '"',
        '  ',
        '\t',
        'x  y',
        '{',
        '1,000,',
        '@@ ',
      ],
    ];
    for (const shape of shapes) {
      const line = shape.repeat(100_000 / shape.length);
      for (const text of [`2024/1/1 ${line}\n`, `2024/1/1\n  a${line}\n  b\n`, `alias ${line}x`]) {
        for (const format of ['ledger', 'beancount'] as const) {
          const begin = performance.now();
          try {
            entriesOf(text.replace('2024/1/1', '2024-01-01 *'), { format });
          } catch {
            // Only the time matters.
          }
          assert.ok(performance.now() - begin < 500, `${format} ${shape}`);
        }
      }
    }
  });

  it('refuse to continue if the file has changed since it was examined', () => {
    let text = head;
    const statement = readStatement({ open: () => sourceOf(text).open() }, { format: 'ledger' });
    text = head + head;
    assert.throws(() => [...statement.entries()], /File changed while it was being read/);
    text = '';
    assert.throws(() => [...statement.entries()], /File changed while it was being read/);
  });
});
