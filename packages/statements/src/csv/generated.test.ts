import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { readStatement } from '../read-statement.ts';
import { StatementError } from '../statement/statement-error.ts';
import type { Entry, StatementOptions } from '../statement/statement.ts';
import { sourceOf } from '../testing/sources.ts';
import { LANGUAGES, type Vocabulary } from '../words/vocabulary.ts';

type Row = typeof rowArbitrary extends fc.Arbitrary<infer R> ? R : never;

type Style = typeof styleArbitrary extends fc.Arbitrary<infer S> ? S : never;

/** Lines with purchases, income and texts that look like something else. */
const rowArbitrary = fc.record({
  day: fc.integer({ min: 0, max: 671 }),
  cents: fc.integer({ min: -9_999_999, max: 9_999_999 }).filter((cents) => cents !== 0),
  payee: fc.constantFrom(
    'Corner shop',
    'Total 24',
    'New Balance Store',
    'Saldo Bar',
    'a "b" c',
    'x, y; z',
    '12 | Street',
    'Caffè Ω',
    'Thank you cards',
    '31/12 Club',
  ),
  status: fc.constantFrom('booked', 'booked', 'booked', 'pending', 'declined'),
});

const styleArbitrary = fc
  .record({
    language: fc.nat(LANGUAGES.length - 1),
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    quotes: fc.constantFrom('needed', 'all'),
    lineEnd: fc.constantFrom('\r\n', '\n', '\r'),
    decimal: fc.constantFrom('point', 'comma'),
    /** Before each three digits; `other`: the sign that is not the decimal sign. */
    thousands: fc.constantFrom('', 'other', "'", ' ', '\u00a0'),
    order: fc.constantFrom('y-m-d', 'd/m/y', 'm/d/y'),
    separator: fc.constantFrom('-', '/', '.'),
    hasTime: fc.boolean(),
    money: fc.constantFrom('signed', 'trailing', 'columns', 'signedColumns', 'words', 'negated'),
    /** Which of the names of the language each column has. */
    names: fc.array(fc.nat(30), { minLength: 2, maxLength: 2 }),
    hasBalance: fc.boolean(),
    hasStatus: fc.boolean(),
    hasBookingDate: fc.boolean(),
    isNewestFirst: fc.boolean(),
    preamble: fc.nat(5),
    footer: fc.constantFrom('none', 'text', 'total', 'balance'),
  })
  // A month before its day is written only in some languages, and never with points.
  .filter(
    ({ order, language, separator }) =>
      order !== 'm/d/y' || (languageOf(language).isMonthFirst === true && separator !== '.'),
  );

function languageOf(at: number): Vocabulary {
  return LANGUAGES[at] ?? assert.fail('No such language');
}

function pick(list: readonly string[] | undefined, at = 0): string {
  const all = list ?? assert.fail('The language lacks a word');
  return all[at % all.length]!;
}

/** A day of 2023 or 2024; every month has 28 days here. */
function dateOf(day: number): string {
  const month = Math.floor(day / 28);
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${2023 + Math.floor(month / 12)}-${pad((month % 12) + 1)}-${pad((day % 28) + 1)}`;
}

function dateText(day: number, { order, separator, hasTime }: Style): string {
  const [y = '', m = '', d = ''] = dateOf(day).split('-');
  const parts = { 'y-m-d': [y, m, d], 'd/m/y': [d, m, y], 'm/d/y': [m, d, y] }[order];
  return parts.join(separator) + (hasTime ? ' 13:05:09' : '');
}

function amountText(cents: number, { decimal, thousands, money }: Style): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  const [units, fraction] = [digits.slice(0, -2), digits.slice(-2)];
  const [other, sign] = decimal === 'point' ? [',', '.'] : ['.', ','];
  const group = thousands === 'other' ? other : thousands;
  const grouped = units.replace(/\B(?=(\d{3})+$)/g, group);
  const minus = cents < 0 ? '-' : '';
  return money === 'trailing'
    ? `${grouped}${sign}${fraction}${minus}`
    : `${minus}${grouped}${sign}${fraction}`;
}

function moneyCells(cents: number, style: Style): string[] {
  const size = amountText(Math.abs(cents), style);
  if (style.money === 'columns') return cents < 0 ? [size, ''] : ['', size];
  if (style.money === 'signedColumns')
    return cents < 0 ? [amountText(cents, style), ''] : ['', size];
  if (style.money === 'negated') return [amountText(-cents, style)];
  if (style.money === 'words')
    return [size, pick(languageOf(style.language)[cents < 0 ? 'moneyOut' : 'moneyIn'])];
  return [amountText(cents, style)];
}

function moneyNames({ money, language: at }: Style): string[] {
  const language = languageOf(at);
  if (money === 'columns' || money === 'signedColumns')
    return [pick(language.debit), pick(language.credit)];
  return money === 'words'
    ? [pick(language.amount), pick(language.direction)]
    : [pick(language.amount)];
}

function header(style: Style): string[] {
  const { names } = style;
  const language = languageOf(style.language);
  return [
    pick(language.date, names[0]),
    ...(style.hasBookingDate ? [pick(language.bookingDate)] : []),
    pick(language.payee, names[1]),
    ...moneyNames(style),
    ...(style.hasBalance ? [pick(language.balance)] : []),
    ...(style.hasStatus ? [pick(language.status)] : []),
  ];
}

function footer({ language: at, footer: kind }: Style, width: number): string[][] {
  const language = languageOf(at);
  const blanks = (count: number) => Array<string>(Math.max(0, count)).fill('');
  if (kind === 'text') return [['Printed by the bank', ...blanks(width - 1)], ['Page 1']];
  if (kind === 'total') return [[pick(language.totalLine), ...blanks(width - 2), '1']];
  if (kind === 'balance') return [['', pick(language.balanceLine), ...blanks(width - 3), '1']];
  return [];
}

function written(rows: readonly Row[], style: Style): string {
  const { hasBalance, hasStatus } = style;
  const language = languageOf(style.language);
  const status = { booked: 'OK', pending: pick(language.pending), declined: 'declined' };
  let balance = 1_000_000;
  const lines = rows.map((row) => {
    const isBooked = !hasStatus || row.status === 'booked';
    if (isBooked) balance += row.cents;
    return [
      dateText(row.day, style),
      ...(style.hasBookingDate ? [dateText(Math.min(671, row.day + 2), style)] : []),
      row.payee,
      ...moneyCells(row.cents, style),
      ...(hasBalance ? [isBooked ? amountText(balance, style) : ''] : []),
      ...(hasStatus ? [status[row.status]] : []),
    ];
  });
  const names = header(style);
  const table = [
    ...Array.from({ length: style.preamble }, (_, at) => [`Line ${at}`, 'of text']),
    names,
    ...(style.isNewestFirst ? lines.toReversed() : lines),
    ...footer(style, names.length),
  ];
  return table
    .map((line) => line.map((cell) => quoted(cell, style)).join(style.delimiter) + style.lineEnd)
    .join('');
}

function quoted(cell: string, { quotes }: Style): string {
  const isQuoted = quotes === 'all' || /[",;|\t]/.test(cell);
  return isQuoted ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function expected(rows: readonly Row[], style: Style) {
  const happened = rows.filter(({ status }) => !style.hasStatus || status !== 'declined');
  const entries = happened.map(({ day, cents, payee, status }) => ({
    date: dateOf(day),
    amount: cents * 100,
    payee,
    isPending: style.hasStatus && status === 'pending',
  }));
  return style.isNewestFirst ? entries.toReversed() : entries;
}

function entriesOf(text: string, options: StatementOptions) {
  const statement = readStatement(sourceOf(text), { format: 'csv', ...options });
  return [...statement.entries()].map(({ date, amount, payee, isPending = false }: Entry) => ({
    date,
    amount,
    payee,
    isPending,
  }));
}

const NAMES_A_FLAG = /--map|--negate|map the columns|specify the (?:date format|decimal sign)/;

/** Reads a file like a user: after a refusal, with the flags that it names; null if it names another flag. */
function readWithFlags(text: string, style: Style, options: StatementOptions) {
  for (let tries = 0, given = options; ; tries += 1) {
    try {
      return { entries: entriesOf(text, given), tries };
    } catch (error) {
      assert.ok(error instanceof StatementError && tries < 3, `${String(error)}\n${text}`);
      const reasons = error.problems.map(({ reason }) => reason).join('\n');
      assert.match(reasons, NAMES_A_FLAG, `${reasons}\n${text}`);
      const needsDate = reasons.includes('specify the date format');
      const needsDecimal = reasons.includes('specify the decimal sign');
      if (!needsDate && !needsDecimal) return null;
      given = {
        ...given,
        ...(needsDate ? { dateFormat: style.order } : {}),
        ...(needsDecimal ? { decimal: style.decimal } : {}),
      };
    }
  }
}

it('reads back a statement of any language and dialect, or names the flag that decides', () => {
  const rows = fc.array(rowArbitrary, { minLength: 1, maxLength: 12 });
  const counts = { plain: 0, flags: 0, refused: 0 };
  fc.assert(
    fc.property(rows, styleArbitrary, (unsorted, style) => {
      const sorted = unsorted.toSorted((a, b) => a.day - b.day);
      const options = style.money === 'negated' ? { negate: true } : {};
      const text = written(sorted, style);
      const read = readWithFlags(text, style, options);
      if (read === null) counts.refused += 1;
      else if (read.tries > 0) counts.flags += 1;
      else counts.plain += 1;
      if (read !== null) assert.deepEqual(read.entries, expected(sorted, style), text);
    }),
    { numRuns: runs(1500) },
  );
  const total = counts.plain + counts.flags + counts.refused;
  assert.ok(counts.plain > total * 0.75 && counts.refused <= total * 0.04, JSON.stringify(counts));
});
