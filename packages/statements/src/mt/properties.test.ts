import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
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
});
