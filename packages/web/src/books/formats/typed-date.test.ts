import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { localesWith } from './names.ts';
import { dayByArrow, readTypedDate, typedPattern, writeTypedDate } from './typed-date.ts';

const british = { locale: 'en-GB', dates: 'locale' } as const;
const american = { locale: 'en-US', dates: 'locale' } as const;
const iso = { locale: 'en-US', dates: 'iso' } as const;

test('a date is written in the order of the format', () => {
  for (const [date, format, expected] of [
    ['2026-03-09', british, '09/03/2026'],
    ['2026-03-09', american, '03/09/2026'],
    ['2026-03-09', { ...british, locale: 'de-DE' }, '09.03.2026'],
    ['2026-03-09', iso, '2026-03-09'],
    ['', british, ''],
  ] as const)
    assert.equal(writeTypedDate(date, format), expected);
  const letters = { day: 'dd', month: 'mm', year: 'yyyy' };
  assert.equal(typedPattern(british, letters), 'dd/mm/yyyy');
  assert.equal(typedPattern(iso, letters), 'yyyy-mm-dd');
});

test('a date is read in the order of the format, and as ISO; a short year only at the end', () => {
  for (const format of [british, american, iso])
    assert.equal(readTypedDate(' 2026-03-09 ', format), '2026-03-09');
  assert.equal(readTypedDate('9/3/2026', american), '2026-09-03');
  for (const text of ['9/3/2026', '9.3.2026'])
    assert.equal(readTypedDate(text, british), '2026-03-09');
  assert.equal(readTypedDate('9/3/26', british), null);
  assert.equal(readTypedDate('9/3/26', british, true), '2026-03-09');
  const others = '9 9/3 9/3/202 31/02/2026 9/13/2026 1/1/1899 1/1/3000 x/y/z';
  for (const text of ['', ...others.split(' ')])
    assert.equal(readTypedDate(text, british, true), null, text);
});

test('what was written is read again, in every format that the settings offer', () => {
  const range = { min: new Date('1900-01-01'), max: new Date('2999-12-31') };
  const days = fc.date({ ...range, noInvalidDate: true });
  const locales = fc.constantFrom(...localesWith('').map(({ tag }) => tag), '');
  const kinds = fc.constantFrom('locale', 'iso');
  fc.assert(
    fc.property(days, locales, kinds, (day, locale, dates) => {
      const date = day.toISOString().slice(0, 10);
      assert.equal(readTypedDate(writeTypedDate(date, { locale, dates }), { locale, dates }), date);
    }),
  );
});

test('arrows move by days', () => {
  for (const [key, from, to] of [
    ['ArrowUp', '2026-02-28', '2026-03-01'],
    ['ArrowDown', '2026-03-01', '2026-02-28'],
    ['ArrowLeft', '2026-03-01', null],
    ['ArrowUp', '', null],
  ] as const)
    assert.equal(dayByArrow(key, from), to);
});
