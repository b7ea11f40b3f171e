import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import {
  asBytes,
  joinedBlock,
  packBlock,
  readBlock,
  rowsOfBlock,
  searchedWords,
} from './search-blocks.ts';
import type { SearchedRow } from './search-blocks.ts';

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
    words: fc
      .array(
        fc.oneof(
          fc.constant('frequent'),
          fc
            .string({ unit: 'grapheme', minLength: 1, maxLength: 9 })
            .map((text) => asBytes(text.toWellFormed().replaceAll(' ', '_'))),
        ),
        { maxLength: 5 },
      )
      .map((words) => [...new Set(words)]),
  },
  { noNullPrototype: true },
);

it('a block has its rows, wherever its bytes begin', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(row, { minLength: 1, maxLength: 200, size: 'max', selector: ({ id }) => id }),
      fc.integer({ min: 0, max: 9 }),
      (rows, start) => {
        const sorted = rows.toSorted((a, b) => a.id - b.id);
        const packed = packBlock(sorted);
        const ordered = (row: SearchedRow) => ({ ...row, words: row.words.toSorted() });
        assert.deepEqual(rowsOfBlock(packed).map(ordered), sorted.map(ordered));
        const bytes = joinedBlock(packed);
        const moved = Buffer.alloc(start + bytes.length).subarray(start);
        bytes.copy(moved);
        assert.deepEqual(readBlock(moved), readBlock(bytes));
      },
    ),
    { numRuns: runs(1000) },
  );
});

it('searched words are those of the first 300 characters of the payee and of the notes, folded', () => {
  const long = `${'😀'.repeat(299)}ÄB`;
  const words = [...searchedWords(long, '\n Ⓝotes a\tnotes\n')].map((word) =>
    Buffer.from(word, 'latin1').toString(),
  );
  assert.deepEqual(words, [`${'😀'.repeat(299)}a`, 'notes', 'a', 'notes']);
  assert.deepEqual(searchedWords('', null), []);
  assert.deepEqual(searchedWords('', 'A'), ['a']);
});
