import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatAmount } from '@coffer/core/money';
import { readStatement } from '../read-statement.ts';
import { entriesOf, errorOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

const word = fc.string({
  unit: fc.constantFrom(...Array.from('abXY019é&#^!')),
  minLength: 1,
  maxLength: 10,
});
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((all) => `w${all.join(' ')}`);
const name = fc.string({
  unit: fc.constantFrom(...Array.from('abXYé ')),
  minLength: 1,
  maxLength: 12,
});
const category = name.map((text) => `C${text.trim()}`);
const money = fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents * 100);
const entry = fc.record({
  day: fc.integer({ min: 101, max: 128 }),
  payee: words,
  memo: fc.option(words),
  parts: fc.array(fc.record({ amount: money, category, notes: fc.option(words) }), {
    ...{ minLength: 1, maxLength: 4 },
  }),
});
type GeneratedEntry = typeof entry extends fc.Arbitrary<infer T> ? T : never;

function total({ parts }: GeneratedEntry): number {
  return parts.reduce((sum, { amount }) => sum + amount, 0);
}

function recordOf(each: GeneratedEntry): string {
  const { day, payee, memo, parts } = each;
  const splits = parts.flatMap(({ amount, category: of, notes }) => [
    ...[`S${of}`, ...(notes === null ? [] : [`E${notes}`]), `$${formatAmount(amount)}`],
  ]);
  return [
    `D2/${String(day).slice(1)}'24`,
    `T${formatAmount(total(each))}`,
    `P${payee}`,
    ...(memo === null ? [] : [`M${memo}`]),
    ...(parts.length > 1 ? splits : [`L${parts[0]!.category}`]),
    '^',
  ].join('\n');
}

describe('QIF', () => {
  it('that is written is read again, in chunks of any size', () => {
    const file = fc.array(entry, { maxLength: 5 });
    fc.assert(
      fc.property(file, fc.integer({ min: 1, max: 200 }), (all, chunkBytes) => {
        const text = ['!Type:Bank', ...all.map(recordOf), "D2/28'24", 'T0.00', '^', ''].join('\n');
        const read = entriesOf(sourceOf(text, chunkBytes)).slice(0, -1);
        const wanted = all.map((each) => ({
          date: `2024-02-${String(each.day).slice(1)}`,
          amount: total(each),
          payee: each.payee,
          notes: each.memo === each.payee ? null : each.memo,
          category: each.parts.length > 1 ? null : each.parts[0]!.category,
          parts:
            each.parts.length > 1
              ? each.parts.map((part) => ({ payee: null, ...part }))
              : undefined,
        }));
        assert.deepEqual(
          read.map(({ date, amount, payee, notes, category: of, parts }) => ({
            ...{ date, amount, payee, notes, category: of, parts },
          })),
          wanted,
        );
      }),
    );
  });

  it('without ends of records or with endless lists is read in bounded memory', () => {
    const endless = (begin: string, repeated: string, pieces: number) => ({
      *open() {
        yield Buffer.from(begin);
        const piece = Buffer.from(repeated.repeat(Math.ceil(65_536 / repeated.length)));
        for (let at = 0; at < pieces; at += 1) yield piece;
      },
    });
    const head = '!Type:Bank\nD2024-01-31\nT1.00\n';
    const { message } = errorOf(endless(head, 'SFood\n$1.00\n', 1000));
    assert.equal(message, 'Line 2: Record is too long: perhaps a "^" is missing');
    assert.match(
      errorOf(endless(head, `M${'x'.repeat(60_000)}\n`, 100)).message,
      /Record is too long/,
    );
    assert.match(errorOf(endless(head, 'Mx', 100)).message, /^Line 4: Line is longer than 65536/);
    const lines = (count: number) => `${head}${'AStreet\n'.repeat(count - 2)}^\n`;
    assert.equal(entriesOf(lines(4096)).length, 1);
    assert.match(errorOf(lines(4097)).message, /Record is too long/);
    const list = readStatement(endless('!Type:Prices\n', '"X",5,"1/1/04"\n', 50));
    assert.equal(list.entryCount, 0);
  });
});
