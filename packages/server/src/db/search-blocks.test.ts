import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { asBytes, packBlock, rowsOfBlock, searchedDocument } from './search-blocks.ts';

const most = Number.MAX_SAFE_INTEGER;
const amount = fc.oneof(
  fc.integer({ min: -9, max: 9 }),
  fc.integer({ min: -most, max: most }),
  fc.constantFrom(most, -most, 2 ** 32, -(2 ** 31), 2 ** 16, 255, 256),
);
const row = fc.record(
  {
    id: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: most })),
    day: fc.oneof(
      fc.integer({ min: 20240101, max: 20240131 }),
      fc.integer({ min: 10101, max: 99991231 }),
    ),
    kind: fc.integer({ min: 0, max: 7 }),
    amount,
    toBase: amount,
    text: fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .map((text) => asBytes(text.toWellFormed())),
  },
  { noNullPrototype: true },
);

it('a block has its rows, wherever its bytes begin', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(row, { minLength: 1, maxLength: 40, selector: ({ id }) => id }),
      fc.integer({ min: 0, max: 9 }),
      (rows, start) => {
        const sorted = rows.toSorted((a, b) => a.id - b.id);
        const bytes = packBlock(sorted);
        const moved = Buffer.alloc(start + bytes.length).subarray(start);
        bytes.copy(moved);
        assert.deepEqual(rowsOfBlock(moved), sorted);
      },
    ),
    { numRuns: runs(1000) },
  );
});

it('a searched text has the first 300 characters of the payee and of the notes, folded, in two lines', () => {
  const long = `${'😀'.repeat(299)}ÄB`;
  const [payee, notes, ...more] = Buffer.from(searchedDocument(long, '\n Ⓝotes\n'), 'latin1')
    .toString()
    .split('\n');
  assert.deepEqual([payee, notes, more], [` ${'😀'.repeat(299)}a`, ' notes', ['']]);
  assert.equal(searchedDocument('A', null), ' a\n');
});
