import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { drawPicture } from './picture.ts';
import { pictureOf, type Growth } from './result.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('the result of the last run', () => {
  const growth = JSON.parse(read('../results/growth.json')) as Growth;

  it('is what the picture in the documentation shows', () => {
    assert.equal(read('../../docs/images/growth.svg'), drawPicture(pictureOf(growth)));
  });

  it('has a cost for each size, operation and book', () => {
    assert.deepEqual(growth.sizes, [10_000, 100_000, 1_000_000, 10_000_000]);
    assert.equal(growth.lines.length, 14);
    for (const { ms, rowsOfBook } of growth.lines) {
      assert.deepEqual([ms.length, rowsOfBook.length], [4, 4]);
      assert.ok(ms.every((each) => each > 0));
    }
  });
});
