import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { drawPicture, pictureFile, resultFile, shortNumber, spread } from './picture.ts';
import type { Growth } from './picture.ts';

const lineHeight = 17;
const bottom = 404;

function draw(ms: readonly number[]): string {
  const sizes = ms.map((_, at) => 10 ** (at + 3));
  const line = { book: 'same', operation: 'first', rowsOfBook: sizes, ms, growth: 1 } as const;
  return drawPicture({ sizes, lines: [line] });
}

describe('a picture of growing costs', () => {
  it('places a tenfold cost and a tenfold size at equal distances, and higher costs further up', () => {
    const [, path] = /<path class="line" d="M([^"]+)"/.exec(draw([0.1, 1, 10, 100])) ?? [];
    assert.equal(path, '76 404L148 310.7L220 217.3L292 124');
  });

  it('has a scale from one power of ten to another, also for equal costs', () => {
    // Both panels have the same scale.
    const ticksOf = (ms: number[]): unknown[] => [
      ...new Set([...draw(ms).matchAll(/>([\d.]+) ms</g)].map(([, tick]) => tick)),
    ];
    assert.deepEqual(ticksOf([0.3, 20]), ['0.1', '1', '10', '100']);
    assert.deepEqual(ticksOf([0.02, 0.1]), ['0.01', '0.1']);
    assert.deepEqual(ticksOf([1, 1]), ['1', '10']);
    assert.deepEqual(ticksOf([1000, 1000]), ['1000', '10000']);
  });

  it('has texts for those who do not see it', () => {
    const svg = draw([1, 2]);
    assert.match(
      svg,
      /<title id="t">Processor .*<\/title>\n<desc id="d">.*: first page 1, 2 ms\.</,
    );
    assert.match(svg, /role="img" aria-labelledby="t d"/);
    assert.doesNotMatch(svg, /NaN|undefined|url\(|@import|<image/);
  });

  it('is in the documentation with the last run, which has each size, operation and book', () => {
    const growth = JSON.parse(readFileSync(resultFile, 'utf8')) as Growth;
    assert.equal(readFileSync(pictureFile, 'utf8'), drawPicture(growth));
    assert.deepEqual(growth.sizes, [10_000, 100_000, 1_000_000, 10_000_000]);
    assert.equal(growth.lines.length, 14);
    for (const { ms, rowsOfBook } of growth.lines) {
      assert.deepEqual([ms.length, rowsOfBook.length], [4, 4]);
      assert.ok(ms.every((each) => each > 0));
    }
  });

  it('labels sizes with two digits', () => {
    const sizes = [1000, 1062, 10_062, 100_062, 1_000_062, 1_250_000, 10_000_000];
    const labels = ['1,000', '1,100', '10,000', '100,000', '1 million', '1.3 million'];
    assert.deepEqual(sizes.map(shortNumber), [...labels, '10 million']);
  });
});

describe('labels of lines', () => {
  const ends = fc
    .array(fc.double({ min: 92, max: bottom, noNaN: true }), { maxLength: 12 })
    .map((all) => all.toSorted((a, b) => a - b));

  it('never overlap, and are not below the plot', () => {
    fc.assert(
      fc.property(ends, (wanted) => {
        const places = spread(wanted);
        assert.equal(places.length, wanted.length);
        for (const [at, place] of places.entries()) {
          assert.ok(place <= bottom + 1e-9);
          if (at > 0) assert.ok(place - places[at - 1]! >= lineHeight - 1e-9);
        }
      }),
    );
  });

  it('stay where they should be if they do not overlap there', () => {
    assert.deepEqual(spread([100, 117, 200]), [100, 117, 200]);
    assert.deepEqual(spread([100, 100]), [91.5, 108.5]);
    assert.deepEqual(
      spread([100, 100, 110]),
      [86.33333333333333, 103.33333333333333, 120.33333333333333],
    );
    assert.deepEqual(spread([bottom, bottom]), [bottom - lineHeight, bottom]);
  });
});
