import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { folded, lineOf, pagesOf, rowsAmong } from './page-window.ts';
import { rowsInWindow, scaleOf, scrollToRow } from './page-window.ts';

const options = fc.record({
  rowCount: fc.nat(2_000_000),
  rowHeight: fc.integer({ min: 20, max: 128 }),
  height: fc.integer({ min: 1, max: 4000 }),
  overscan: fc.nat(50),
  scrollTop: fc.nat(100_000_000),
});

test('the window covers every visible row, and is within the list', () => {
  fc.assert(
    fc.property(options, (given) => {
      const { rowCount, rowHeight, height, overscan } = given;
      const scrollTop = Math.min(given.scrollTop, Math.max(0, rowCount * rowHeight - height));
      const { first, end } = rowsInWindow({ ...given, scrollTop });
      assert.ok(first >= 0 && end <= rowCount);
      const firstVisible = Math.floor(scrollTop / rowHeight);
      const lastVisible = Math.min(Math.ceil((scrollTop + height) / rowHeight), rowCount) - 1;
      if (rowCount > 0) assert.ok(first <= firstVisible && end > lastVisible);
      assert.ok(end - first <= Math.ceil(height / rowHeight) + 2 * overscan + 2);
    }),
  );
});

test('the pages of a window hold all its rows, and no other page', () => {
  const sizes = fc.integer({ min: 1, max: 1000 });
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(200), sizes, (first, count, size) => {
      const range = { first, end: first + count };
      const rows = Array.from({ length: count }, (_each, at) => Math.floor((first + at) / size));
      assert.deepEqual(pagesOf(range, size), [...new Set(rows)]);
    }),
  );
});

test('a list that is too high for a browser is scaled, and its end can be reached', () => {
  fc.assert(
    fc.property(fc.nat(5_000_000), fc.integer({ min: 200, max: 2000 }), (rowCount, height) => {
      const scale = scaleOf(rowCount, 36, height);
      assert.ok(scale.height <= 15_000_000);
      const furthest = Math.max(0, scale.height - height) * scale.factor;
      assert.ok(Math.abs(furthest - Math.max(0, rowCount * 36 - height)) < 1);
    }),
  );
});

test('after scrolling to a row it is visible, and a visible row moves nothing', () => {
  fc.assert(
    fc.property(options, fc.nat(2_000_000), (given, row) => {
      fc.pre(given.height >= given.rowHeight);
      const top = scrollToRow(row, given);
      assert.ok(row * given.rowHeight >= top);
      assert.ok((row + 1) * given.rowHeight <= top + given.height);
      assert.equal(scrollToRow(row, { ...given, scrollTop: top }), top);
    }),
  );
});

test('the rows among lines are those that have a line there, and the one whose lines are there', () => {
  const small = fc.nat(30);
  fc.assert(
    fc.property(small, fc.nat(9), small, fc.nat(20), (row, count, first, length) => {
      const unfolded = { row, count };
      const lines = { first, end: first + length + 1 };
      const isThere = (each: number): boolean => {
        const line = lineOf(each, unfolded);
        const last = each === row ? line + count : line;
        return line < lines.end && last >= lines.first;
      };
      const rows = Array.from({ length: 70 }, (_each, at) => at).filter(isThere);
      const range = rowsAmong(lines, unfolded);
      assert.deepEqual(range, { first: rows[0], end: rows.at(-1)! + 1 });
      assert.deepEqual(rowsAmong(lines, folded), lines);
    }),
  );
});
