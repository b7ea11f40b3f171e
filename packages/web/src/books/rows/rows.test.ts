import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold, matching } from '../filter/matching.ts';
import {
  addMonths,
  clockTime,
  dateAt,
  formatDate,
  formatTime,
  lastDayOf,
} from '../formats/dates.ts';
import { languageOf, readPreferences } from '../formats/preferences.ts';
import {
  folded,
  lineOf,
  pagesOf,
  rowsAmong,
  rowsInWindow,
  scaleOf,
  scrollToRow,
  firstRowOf,
  monthOfRow,
  toggled,
} from './rows.ts';

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

test('the first row of a month is in that month', () => {
  const counts = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 120 });
  fc.assert(
    fc.property(counts, (list) => {
      const months = list.map((count, at) => ({ month: addMonths('2026-11', -at), count }));
      for (const { month, count } of months) {
        const first = firstRowOf(months, month);
        assert.equal(monthOfRow(months, first), month);
        assert.equal(monthOfRow(months, first + count - 1), month);
      }
    }),
  );
  assert.equal(monthOfRow([], 0), null);
});

test('a tag that is toggled twice is as before', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat()), fc.nat(), (ids, id) => {
      const twice = toggled(toggled(ids, id), id);
      assert.deepEqual(twice.toSorted(), ids.toSorted());
    }),
  );
});

test('months are added over years, and end on their last day', () => {
  assert.equal(addMonths('2026-11', 3), '2027-02');
  assert.equal(addMonths('2026-01', -1), '2025-12');
  assert.equal(lastDayOf('2024-02'), '2024-02-29');
  fc.assert(
    fc.property(fc.integer({ min: -1000, max: 1000 }), (count) => {
      assert.equal(addMonths(addMonths('2026-06', count), -count), '2026-06');
    }),
  );
});

test('dates are shown by the locale or as they are, in no other zone', () => {
  const british = { locale: 'en-GB', dates: 'locale' } as const;
  assert.equal(formatDate('2026-03-01', 'medium', british), '1 Mar 2026');
  assert.equal(formatDate('2026-03-01', 'medium', { ...british, dates: 'iso' }), '2026-03-01');
  assert.equal(formatDate('nonsense', 'medium', british), 'nonsense');
  const iso = { ...british, dates: 'iso' } as const;
  assert.equal(formatDate('2026-03', 'month', iso), 'March 2026');
  assert.equal(formatDate('2026-03', 'monthShort', iso), 'Mar');
  const time = new Date(2026, 2, 1, 9, 5);
  assert.equal(formatTime(time.toISOString(), british), '1 Mar 2026, 09:05');
  assert.equal(clockTime(time.toISOString(), british), '09:05');
  assert.equal(dateAt(time.getTime()), '2026-03-01');
  for (const format of [formatTime, clockTime]) assert.equal(format('soon', british), 'soon');
});

test('the best match is first, without case and accents', () => {
  const names = ['Old Groceries', 'Groceries', 'Größe', 'Fuel'].map((name) => ({ name }));
  const found = matching(names, 'GRO').map(({ name }) => name);
  assert.deepEqual(found, ['Groceries', 'Größe', 'Old Groceries']);
  assert.deepEqual(matching([{ name: 'Rent', context: 'Home' }], 'home').length, 1);
  const ranks = ['Home rents', 'Parents', 'Old-Rent', 'Rent'].map((name) => ({ name }));
  const best = matching([{ name: 'Gas', context: 'Rented' }, ...ranks], ' Rent ');
  assert.deepEqual(
    best.map(({ name }) => name),
    ['Rent', 'Home rents', 'Old-Rent', 'Parents', 'Gas'],
  );
  const many = Array.from({ length: 60 }, (_each, at) => ({ name: `Rent ${at}` }));
  assert.deepEqual([matching(many, 'rent').length, matching(many, '').length], [50, 60]);
  assert.equal(fold('Crème'), 'creme');
});

test('the language is the chosen one, else the first of the browser that there is, else English', () => {
  assert.equal(languageOf('en', ['de-AT']), 'en');
  assert.equal(languageOf('', ['fr-FR', 'de-AT', 'en-GB']), 'de');
  assert.equal(languageOf('', ['fr-FR', 'EN-gb', 'de']), 'en');
  assert.equal(languageOf('', ['fr-FR']), 'en');
});

test('whatever is stored, preferences are complete', () => {
  const usual = readPreferences(null);
  assert.deepEqual(usual, {
    theme: 'system',
    language: '',
    locale: '',
    dates: 'locale',
    isPrivate: false,
    hasLetterKeys: true,
  });
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const { theme, dates, isPrivate, hasLetterKeys } = readPreferences(text);
      assert.ok(['system', 'light', 'dark'].includes(theme));
      assert.ok(['locale', 'iso'].includes(dates));
      assert.deepEqual([typeof isPrivate, typeof hasLetterKeys], ['boolean', 'boolean']);
    }),
  );
  for (const locale of ['no such', 5, null])
    assert.deepEqual(readPreferences(JSON.stringify({ locale })), usual);
  assert.equal(readPreferences('{"language":"xx"}').language, '');
  const stored = { ...usual, theme: 'dark', language: 'de', locale: 'de-DE', isPrivate: true };
  assert.deepEqual(readPreferences(JSON.stringify(stored)), stored);
});
