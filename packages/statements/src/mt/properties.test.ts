import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readStatement } from '../read-statement.ts';
import { StatementError } from '../statement-error.ts';
import { mtText } from '../testing/mt-text.ts';
import { entriesOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

const word = fc.string({
  unit: fc.constantFrom(...Array.from('abcXYZ019éß')),
  minLength: 1,
  maxLength: 12,
});
const words = fc.array(word, { minLength: 1, maxLength: 8 }).map((all) => all.join(' '));
const entry = fc.record({
  day: fc.integer({ min: 101, max: 128 }),
  cents: fc.nat(1e9),
  mark: fc.constantFrom('C', 'D', 'RC', 'RD'),
  name: words.map((name) => name.slice(0, 54).trim()),
  purpose: words,
});
type GeneratedEntry = typeof entry extends fc.Arbitrary<infer T> ? T : never;

function signed({ mark, cents }: GeneratedEntry): number {
  const amount = cents * 100;
  return amount !== 0 && (mark === 'D' || mark === 'RC') ? -amount : amount;
}

/** Cuts a text as banks do: parts of 27 characters, lines of 65. */
function structured({ name, purpose }: GeneratedEntry): string {
  const parts = (text: string, codes: readonly number[]) =>
    codes.map((code, at) => [code, text.slice(at * 27, (at + 1) * 27)] as const);
  const purposes = parts(`SVWZ+${purpose}`, [20, 21, 22, 23, 24, 25]);
  const all = [...purposes, ...parts(name, [32, 33])].filter(([, part]) => part !== '');
  const text = `166?00TEXT${all.map(([code, part]) => `?${code}${part}`).join('')}`;
  return text.replace(/.{65}/gu, '$&\n');
}

function fileOf(entries: readonly GeneratedEntry[]): string {
  const lines = entries.map((each) => ({
    line: `2402${String(each.day).slice(1)}${each.mark}${Math.floor(each.cents / 100)},${String(each.cents % 100).padStart(2, '0')}NTRFNONREF`,
    details: structured(each),
  }));
  return mtText({ entries: lines });
}

describe('MT940', () => {
  it('that is written is read again, in chunks of any size', () => {
    const entries = fc.array(entry, { maxLength: 5 });
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 200 }), (all, chunkBytes) => {
        const read = entriesOf(sourceOf(fileOf(all), chunkBytes));
        assert.deepEqual(
          read.map(({ date, amount, payee, notes }) => [date, amount, payee, notes]),
          all.map((each) => [
            `2024-02-${String(each.day).slice(1)}`,
            signed(each),
            each.name,
            each.purpose,
          ]),
        );
      }),
    );
  });

  it('with damage gives entries or problems, never another error', () => {
    const whole = fileOf([
      { day: 101, cents: 500, mark: 'D', name: 'Shop', purpose: 'Bread' },
      { day: 102, cents: 600, mark: 'RC', name: 'Bank', purpose: 'Fee' },
    ]);
    const damage = fc.record({
      at: fc.nat(whole.length),
      length: fc.nat(20),
      text: fc.string({ unit: fc.constantFrom(...Array.from(':-{}4\n61?20,/é ')), maxLength: 8 }),
    });
    fc.assert(
      fc.property(damage, ({ at, length, text }) => {
        const damaged = whole.slice(0, at) + text + whole.slice(at + length);
        try {
          const statement = readStatement(sourceOf(damaged), { format: 'mt940' });
          assert.equal([...statement.entries()].length, statement.entryCount);
        } catch (error) {
          assert.ok(error instanceof StatementError, String(error));
        }
      }),
    );
  });

  it('is read in time in proportion to its length, whatever its texts are', () => {
    for (const shape of [
      '?20',
      '/',
      '/NAME/',
      'SVWZ',
      ' ',
      '\n ',
      'a  ',
      '166?',
      '~',
      '\u0001',
      'NAAM: ',
      ':',
    ]) {
      const text = `166?20${shape.repeat(Math.floor(60_000 / shape.length))}x`;
      for (const details of [text, text.slice(6), `/NAME/${text.slice(6)}`]) {
        const before = process.cpuUsage().user;
        entriesOf(mtText({ entries: [{ details: details.replaceAll('\n:', '\n') }] }));
        const took = process.cpuUsage().user - before;
        assert.ok(took < 300_000, `${JSON.stringify(shape)} took ${took} µs`);
      }
    }
  });
});
