import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'node:test';
import { entriesFromJson, entriesToJson, type ImportEntry } from './entry.ts';
import { entryOf } from './testing/import-book.ts';
import { isProven, noteDates } from './pairing.ts';
import { IdLines } from './free-ids.ts';

const plain = entryOf({ payee: '', category: 'Food' });
const full: ImportEntry = {
  ...{ ...plain, line: 3, currency: 'eur', notes: '本', account: 'Giro', externalId: 'a#2' },
  ...{ isPending: true, tags: ['a'], otherAccount: 'DE1' },
  parts: [{ amount: plain.amount, payee: null, notes: null, category: null }],
  bankId: { id: 'a', nth: 2, isRepeated: false },
};

test('entries are stored with all that they have, and nothing else', () => {
  for (const entries of [[], [plain], [full], [plain, full, plain]])
    assert.deepEqual(entriesFromJson(entriesToJson(entries)), entries);
});

test('dates of two formats agree after five that are equal, and none that differs', () => {
  const agreement = { equal: 0, different: 0 };
  const dated = (...days: string[]) => days.map((date) => ({ date }));
  const note = (rows: string[], entries: string[]) =>
    noteDates(agreement, { rows: dated(...rows), entries: dated(...entries) });
  for (let equal = 0; equal < 5; equal += 1) {
    assert.equal(isProven(agreement), false, `${equal}`);
    // What could be paired in several ways says nothing.
    note(['2026-01-02', '2026-01-03'], ['2026-01-02']);
    note(['2026-01-02'], ['2026-01-03', '2026-01-04']);
    note(['2026-01-05'], ['2026-01-05']);
  }
  assert.equal(isProven(agreement), true);
  note(['2026-01-06'], ['2026-01-07']);
  assert.equal(isProven(agreement), false);
});

test('the lines of ids are those of a map', () => {
  const id = fc.oneof(fc.string({ maxLength: 3 }), fc.string(), fc.nat({ max: 50 }).map(String));
  fc.assert(
    fc.property(fc.array(id, { maxLength: 200 }), id, (ids, other) => {
      const [lines, expected] = [new IdLines(), new Map<string, number>()];
      for (const [at, each] of ids.entries()) {
        assert.equal(lines.add(each, at + 1), expected.get(each));
        if (!expected.has(each)) expected.set(each, at + 1);
      }
      assert.equal(lines.has(other), expected.has(other));
    }),
  );
});

test('no two of many similar ids have one hash', () => {
  const lines = new IdLines();
  for (let at = 1; at <= 300_000; at += 1) assert.equal(lines.add(`2024-${at}`, at), undefined);
  assert.ok(lines.has('2024-300000'));
  assert.ok(!lines.has('2024-300001'));
});
