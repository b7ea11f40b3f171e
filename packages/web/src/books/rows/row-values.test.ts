import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addMonths,
  clockTime,
  dateAt,
  formatDate,
  formatTime,
  lastDayOf,
} from '../formats/dates.ts';
import { fold, matching } from '../filter/matching.ts';
import { readPreferences } from '../formats/preferences.ts';
import { firstRowOf, monthOfRow, toggled } from './row-values.ts';

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

test('whatever is stored, preferences are complete', () => {
  const usual = readPreferences(null);
  assert.deepEqual(usual, {
    theme: 'system',
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
  const stored = { ...usual, theme: 'dark', locale: 'de-DE', isPrivate: true };
  assert.deepEqual(readPreferences(JSON.stringify(stored)), stored);
});
