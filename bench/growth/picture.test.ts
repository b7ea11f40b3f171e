import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { drawPicture, shortNumber, spread, type Picture } from './picture.ts';

const lineHeight = 17;
const bottom = 404;

function pictureOf(ms: readonly number[], label = 'list'): Picture {
  const values = ms.map((_, at) => 10 ** (at + 3));
  const lines = [{ label, kind: 'list', ms } as const];
  const panel = { title: 'Panel', subtitle: 'of a test', axis: 'rows', values, lines };
  return { title: 'Costs', description: 'Costs by rows', panels: [panel] };
}

function pointsOf(svg: string): number[][] {
  const [, path = ''] = /<path class="line" d="M([^"]+)"/.exec(svg) ?? [];
  return path.split('L').map((point) => point.split(' ').map(Number));
}

describe('a picture of growing costs', () => {
  it('places a tenfold cost and a tenfold size at equal distances, and higher costs further up', () => {
    const points = pointsOf(drawPicture(pictureOf([0.1, 1, 10, 100])));
    assert.deepEqual(points, [
      [76, 404],
      [148, 310.7],
      [220, 217.3],
      [292, 124],
    ]);
  });

  it('has a scale from one power of ten to another, also for equal costs', () => {
    const ticksOf = (ms: number[]): string[] =>
      [...drawPicture(pictureOf(ms)).matchAll(/>([\d.]+) ms</g)].map(([, tick = '']) => tick);
    assert.deepEqual(ticksOf([0.3, 20]), ['0.1', '1', '10', '100']);
    assert.deepEqual(ticksOf([0.02, 0.1]), ['0.01', '0.1']);
    assert.deepEqual(ticksOf([1, 1]), ['1', '10']);
    assert.deepEqual(ticksOf([1000, 1000]), ['1000', '10000']);
  });

  it('is the same text for the same figures, and has texts for those who do not see it', () => {
    const svg = drawPicture(pictureOf([1, 2]));
    assert.equal(drawPicture(pictureOf([1, 2])), svg);
    assert.match(svg, /<title id="t">Costs<\/title>\n<desc id="d">Costs by rows<\/desc>/);
    assert.match(svg, /role="img" aria-labelledby="t d"/);
    assert.doesNotMatch(svg, /NaN|undefined|url\(|@import|<image/);
  });

  it('escapes its texts', () => {
    assert.match(drawPicture(pictureOf([1, 2], '<b> & "c"')), />&lt;b&gt; &amp; "c"<\/text>/);
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
