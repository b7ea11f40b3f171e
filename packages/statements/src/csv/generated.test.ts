import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { readStatement } from '../read-statement.ts';
import { StatementError } from '../statement-error.ts';
import type { Entry, StatementOptions } from '../statement.ts';
import { sourceOf } from '../testing/sources.ts';
import { LANGUAGES } from './words/languages/index.ts';
import type { Vocabulary } from './words/vocabulary.ts';

interface Row {
  readonly day: number;
  readonly cents: number;
  readonly payee: string;
  readonly status: 'booked' | 'pending' | 'declined';
}

interface Style {
  readonly language: Vocabulary;
  readonly delimiter: string;
  readonly decimal: 'point' | 'comma';
  readonly order: 'y-m-d' | 'd/m/y' | 'm/d/y';
  readonly money: 'signed' | 'columns' | 'words' | 'negated';
  readonly hasBalance: boolean;
  readonly hasStatus: boolean;
  readonly isNewestFirst: boolean;
  readonly preamble: number;
}

const rowArbitrary = fc.record<Row>({
  day: fc.integer({ min: 0, max: 671 }),
  cents: fc.integer({ min: -9_999_999, max: 9_999_999 }).filter((cents) => cents !== 0),
  payee: fc.constantFrom(
    'Corner shop',
    'Total 24',
    'New Balance Store',
    'Saldo Bar',
    'a "b" c',
    'x, y; z',
  ),
  status: fc.constantFrom('booked', 'booked', 'booked', 'pending', 'declined'),
});

const styleArbitrary = fc.record<Style>({
  language: fc.constantFrom(...LANGUAGES),
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  decimal: fc.constantFrom('point', 'comma'),
  order: fc.constantFrom('y-m-d', 'd/m/y', 'm/d/y'),
  money: fc.constantFrom('signed', 'columns', 'words', 'negated'),
  hasBalance: fc.boolean(),
  hasStatus: fc.boolean(),
  isNewestFirst: fc.boolean(),
  preamble: fc.integer({ min: 0, max: 5 }),
});

function first(list: string | undefined): string {
  return list?.split('|')[0] ?? assert.fail('The language lacks a word');
}

/** A day of 2023 or 2024; every month has 28 days here. */
function dateOf(day: number): string {
  const month = Math.floor(day / 28);
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${2023 + Math.floor(month / 12)}-${pad((month % 12) + 1)}-${pad((day % 28) + 1)}`;
}

function dateText(day: number, order: Style['order']): string {
  const [y = '', m = '', d = ''] = dateOf(day).split('-');
  return { 'y-m-d': `${y}-${m}-${d}`, 'd/m/y': `${d}/${m}/${y}`, 'm/d/y': `${m}/${d}/${y}` }[order];
}

function amountText(cents: number, { decimal }: Style): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  const [units, fraction] = [digits.slice(0, -2), digits.slice(-2)];
  const [group, sign] = decimal === 'point' ? [',', '.'] : ['.', ','];
  const grouped = units.replace(/\B(?=(\d{3})+$)/g, group);
  return `${cents < 0 ? '-' : ''}${grouped}${sign}${fraction}`;
}

function moneyCells(cents: number, style: Style): string[] {
  const size = amountText(Math.abs(cents), style);
  if (style.money === 'columns') return cents < 0 ? [size, ''] : ['', size];
  if (style.money === 'negated') return [amountText(-cents, style)];
  if (style.money === 'signed') return [amountText(cents, style)];
  return [size, first(cents < 0 ? style.language.moneyOut : style.language.moneyIn)];
}

function moneyNames({ money, language }: Style): string[] {
  if (money === 'columns') return [first(language.debit), first(language.credit)];
  return money === 'words'
    ? [first(language.amount), first(language.direction)]
    : [first(language.amount)];
}

function written(rows: readonly Row[], style: Style): string {
  const { language, hasBalance, hasStatus } = style;
  const status = { booked: 'OK', pending: first(language.pending), declined: 'declined' };
  let balance = 1_000_000;
  const lines = rows.map((row) => {
    const isBooked = !hasStatus || row.status === 'booked';
    if (isBooked) balance += row.cents;
    return [
      ...[dateText(row.day, style.order), row.payee, ...moneyCells(row.cents, style)],
      ...(hasBalance ? [isBooked ? amountText(balance, style) : ''] : []),
      ...(hasStatus ? [status[row.status]] : []),
    ];
  });
  const header = [
    ...[first(language.date), first(language.payee), ...moneyNames(style)],
    ...(hasBalance ? [first(language.balance)] : []),
    ...(hasStatus ? [first(language.status)] : []),
  ];
  const cell = (text: string) => (/[",;|\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const preamble = Array.from({ length: style.preamble }, (_, at) => [`Line ${at}`, 'of text']);
  const table = [...preamble, header, ...(style.isNewestFirst ? lines.toReversed() : lines)];
  return table.map((line) => line.map(cell).join(style.delimiter) + '\r\n').join('');
}

function expected(rows: readonly Row[], style: Style) {
  const happened = rows.filter(({ status }) => !style.hasStatus || status !== 'declined');
  const entries = happened.map(({ day, cents, payee, status }) => ({
    ...{ date: dateOf(day), amount: cents * 100, payee },
    isPending: style.hasStatus && status === 'pending',
  }));
  return style.isNewestFirst ? entries.toReversed() : entries;
}

function entriesOf(text: string, options: StatementOptions) {
  const statement = readStatement(sourceOf(text), options);
  return [...statement.entries()].map(({ date, amount, payee, isPending = false }: Entry) => ({
    ...{ date, amount, payee, isPending },
  }));
}

/** Reads a file like a user: after a refusal, with the flags that it names. */
function readWithFlags(text: string, style: Style, options: StatementOptions) {
  for (let tries = 0, given = options; ; tries += 1) {
    try {
      return entriesOf(text, given);
    } catch (error) {
      assert.ok(error instanceof StatementError && tries < 3, String(error));
      const reasons = error.problems.map(({ reason }) => reason).join('\n');
      const needsDate = reasons.includes('specify the date format');
      const needsDecimal = reasons.includes('specify the decimal sign');
      assert.ok(needsDate || needsDecimal, `${reasons}\n${text}`);
      given = {
        ...given,
        ...(needsDate ? { dateFormat: style.order } : {}),
        ...(needsDecimal ? { decimal: style.decimal } : {}),
      };
    }
  }
}

it('reads back a statement of any language and layout, or names the flag that decides', () => {
  const rows = fc.array(rowArbitrary, { minLength: 1, maxLength: 12 });
  const counts = { read: 0 };
  fc.assert(
    fc.property(rows, styleArbitrary, (unsorted, style) => {
      const sorted = unsorted.toSorted((a, b) => a.day - b.day);
      const options = style.money === 'negated' ? { negate: true } : {};
      const read = readWithFlags(written(sorted, style), style, options);
      assert.deepEqual(read, expected(sorted, style));
      counts.read += 1;
    }),
    { numRuns: 1000 },
  );
  assert.ok(counts.read >= 1000);
});
