import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from './testing/any-text.ts';
import { foldText, searchWords } from './fold.ts';
import { runs } from './testing/length.ts';

test('letter case, accents, marks and blanks do not matter', () => {
  const same: readonly (readonly [text: string, folded: string])[] = [
    ['Café  MÜLLER\n', 'cafe muller'],
    ['Straße', 'strasse'],
    ['STRASSE', 'strasse'],
    ['ẞ', 'ss'],
    ['Łódź', 'lodz'],
    ['Ærø', 'aero'],
    ['İstanbul', 'istanbul'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδός', 'οδοσ'],
    ['ﬁne', 'fine'],
    ['\u202Bקָפֶה\u202C', 'קפה'],
    ['Ⅻ ½', 'xii 1⁄2'],
    ['100% _\\"\'', '100% _\\"\''],
    ['\ud800', '\ufffd'],
    ['\u0301', ''],
    ['O’Neill O‘Neill Oʼneill O´Neill O`Neill O′Neill O＇Neill', "o'neill ".repeat(7).trim()],
    ["joe's `bar`", "joe's 'bar'"],
    ['“Bar” „Bar“ «Bar» ″Bar″ ＂Bar＂ ‹Bar›', `${'"bar" '.repeat(5)}'bar'`],
    ['A–B A—B A‐B A‑B A−B A－B A―B', 'a-b '.repeat(7).trim()],
    ['A\u00a0\u2009B\u202f\tC\u3000D', 'a b c d'],
  ];
  for (const [text, folded] of same) assert.equal(foldText(text), folded);
});

test('a folded text stays as it is, and so does its form without regard to composition', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const folded = foldText(text);
      assert.equal(foldText(folded), folded);
      assert.equal(foldText(text.normalize('NFC')), foldText(text.normalize('NFD')));
      assert.equal(folded, folded.trim());
    }),
    { numRuns: runs(2000) },
  );
});

test('a search has each of its words once', () => {
  assert.deepEqual(searchWords('  Café cafe\tMÜLLER '), ['cafe', 'muller']);
  assert.deepEqual(searchWords(' \u0301 '), []);
});
