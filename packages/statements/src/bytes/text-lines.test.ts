import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { TextLines } from './text-lines.ts';

function pieces(text: string, length: number): string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
    text.slice(at * length, (at + 1) * length),
  );
}

describe('TextLines', () => {
  it('finds the lines that are not empty, with their numbers, in any pieces', () => {
    const parts = fc.array(fc.constantFrom('', 'a', ' ', 'bc', 'é'), { maxLength: 12 });
    const end = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(parts, end, fc.integer({ min: 1, max: 5 }), (lines, lineEnd, length) => {
        const read = [...new TextLines(pieces(lines.join(lineEnd), length))];
        const wanted = lines.map((text, at) => ({ line: at + 1, text }));
        assert.deepEqual(
          read,
          wanted.filter(({ text }) => text !== ''),
        );
      }),
    );
  });

  it('refuses a NUL, and a line that is too long before all of it is in memory', () => {
    assert.throws(() => [...new TextLines(['a\nb\0'])], { message: /^NUL character/, line: 1 });
    function* endless() {
      yield 'first\n';
      for (;;) yield 'x'.repeat(10_000);
    }
    const lines = new TextLines(endless());
    assert.throws(() => [...lines], { message: 'Line is longer than 65536 characters', line: 2 });
    assert.equal([...new TextLines([`${'x'.repeat(65_536)}\n`])].length, 1);
  });

  it('skips millions of empty lines ', () => {
    const lines = new TextLines(Array.from({ length: 64 }, () => '\n'.repeat(65_536)));
    assert.deepEqual([...lines], []);
    assert.equal(lines.line, 64 * 65_536 + 1);
  });
});
