import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { LineReader } from './lines.ts';

it('lines are the same for pieces of any size and any line ends', () => {
  const text = fc
    .array(fc.constantFrom('a', '\r\n', '\n', '\r', ' '))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.array(fc.nat(3)), (whole, lengths) => {
      const pieces: string[] = [];
      let at = 0;
      for (const length of lengths) pieces.push(whole.slice(at, (at += length)));
      const read = [...new LineReader([...pieces, whole.slice(at)])];
      const lines = whole.split(/\r\n|\n|\r/);
      if (lines.at(-1) === '') lines.pop();
      assert.deepEqual(
        read,
        lines.map((line, nth) => ({ number: nth + 1, text: line })),
      );
    }),
  );
});
