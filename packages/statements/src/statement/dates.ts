import {
  DATE_ORDERS,
  type DateOrder,
  type StatementProblem,
  type BadRows,
  type Entry,
  type Statement,
  type StatedBalances,
  type StatementOptions,
} from './statement.ts';
import { daysIn, isCalendarDate } from '@coffer/core/dates';
import type { Conventions } from './amounts.ts';
import { monthOf } from '../words/meanings.ts';
import { withAsciiDigits } from '../words/vocabulary.ts';
import { shorten } from '@coffer/core/text';
import type { Scratch } from './kept.ts';
import { MAX_SHOWN_LENGTH, StatementError, countOf } from './statement-error.ts';

const MAX_DATE_LENGTH = 64;
const TIME = '(?:(?:T|,? +)\\d{1,2}[:.]\\d{2}.*)?$';
const NUMERIC = new RegExp(`^(\\d{1,4})([-/.])(\\d{1,2})\\2(\\d{1,4})${TIME}`);
const COMPACT = new RegExp(
  `^((?:19|20)\\d{2})(\\d{2})(\\d{2})(?:\\d{6}(?:\\.\\d{1,6})?(?:\\[[^\\]]{0,12}\\])?$|${TIME})`,
);
const SHORT_FIRST = /^\d{1,2}[-/.]\d/;
const POINTED = /^\d{1,2}\. ?\d{1,2}\./;
// With the name of a month: its day first, the month first, or the year first.
const DAY = '(\\d{1,2})(?:st|nd|rd|th|er|º|ª)?';
const MONTH = "(?:de |d'|of )?(\\p{L}[\\p{L}\\p{M}]*)\\.?";
const GAP = '[-/., ]{0,2}';
const DAY_FIRST = new RegExp(`^${DAY}${GAP}${MONTH}${GAP}(?:de |del )?(\\d{4}|\\d{2})${TIME}`, 'u');
const MONTH_FIRST = new RegExp(`^${MONTH}${GAP}${DAY}[-/., ]{1,2}(\\d{4})${TIME}`, 'u');
const YEAR_FIRST = new RegExp(`^(\\d{4})${GAP}${MONTH}${GAP}${DAY}${TIME}`, 'u');

/**
 * Parses a date in the given order; null if the text is not a date of the calendar.
 * Parts are separated by `-`, `/` or `.`; day and month have one or two digits, the year four or two (00–69 are 2000
 * to 2069, 70–99 are 1970 to 1999). A time after a space or `T` is ignored.
 * `20240131` is accepted in the order y-m-d, and a date with the name of a month, such as `12-Dec-2019`, `Apr 19, 2019`
 * or `19 avr. 2019`, in every order. Spaces after points and a point at the end are ignored.
 * Source: ISO 8601; the two-digit years are those of POSIX strptime.
 */
export function parseDate(text: string, order: DateOrder): string | null {
  if (text.length > MAX_DATE_LENGTH) return null;
  if (order === 'y-m-d') return parseYearFirst(text);
  const parts = NUMERIC.exec(text);
  if (parts === null) return parseWritten(text, order);
  const [, first, , second, year] = parts as unknown as string[];
  return order === 'd/m/y'
    ? calendarDate(year!, second!, first!)
    : calendarDate(year!, first!, second!);
}

/** Parses a date; null if the text is none. */
export type ReadDate = (text: string) => string | null;

/** A parser of dates in one order, which remembers the last one: statements repeat dates, row after row. */
export function dateReader(order: DateOrder): ReadDate {
  let lastText = '';
  let lastDate: string | null = null;
  return (text) => {
    if (text === lastText) return lastDate;
    lastText = text;
    lastDate = parseDate(text, order);
    return lastDate;
  };
}

function parseYearFirst(text: string): string | null {
  const parts = NUMERIC.exec(text);
  if (parts !== null) return calendarDate(parts[1]!, parts[3]!, parts[4]!);
  const compact = COMPACT.exec(text);
  if (compact !== null) return calendarDate(compact[1]!, compact[2]!, compact[3]!);
  return parseWritten(text, 'y-m-d');
}

/** Dates with spaces, marks or the name of a month: few files have them. */
function parseWritten(text: string, order: DateOrder): string | null {
  const plain = plainDate(text);
  if (plain !== text && plain !== '') return parseDate(plain, order);
  return parseNamed(text) ?? parseNamed(text.replace(/^\p{L}+\.?,? (?=[\d\p{L}])/u, ''));
}

/** With ASCII digits, without invisible characters, spaces after points, a second date, and signs of East Asia. */
function plainDate(text: string): string {
  const [first = ''] = text.split(' as of ', 1);
  return withAsciiDigits(first)
    .replace(/[\p{Cf}]/gu, '')
    .replace(/[／－．]/g, (sign) => sign.normalize('NFKC'))
    .replace(/[\s\u00a0]+/gu, ' ')
    .trim()
    .replace(/^(\d{4}):(\d{2}):(\d{2})(?=$| )/, '$1-$2-$3')
    .replace(/^(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]/u, '$1-$2-$3')
    .replace(/^(\d{1,4})([-/.]) ?(\d{1,2})\2 ?(\d{1,4})\.?(?=$|[ T,])/, '$1$2$3$2$4')
    .replace(
      /^(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4})[,;|]? *(?:\p{L}{0,3} )?(?=\d{1,2}[:.]\d{2})/u,
      '$1 ',
    );
}

function parseNamed(text: string): string | null {
  const byDay = DAY_FIRST.exec(text);
  if (byDay !== null) return namedDate(byDay[3]!, byDay[2]!, byDay[1]!);
  const byMonth = MONTH_FIRST.exec(text);
  if (byMonth !== null) return namedDate(byMonth[3]!, byMonth[1]!, byMonth[2]!);
  const byYear = YEAR_FIRST.exec(text);
  return byYear === null ? null : namedDate(byYear[1]!, byYear[2]!, byYear[3]!);
}

function namedDate(year: string, name: string, day: string): string | null {
  const month = monthOf(name);
  return month === null ? null : calendarDate(year, String(month), day);
}

/**
 * Date orders to detect. A leading year of two digits, and a month before a day with points, as nobody writes, are
 * accepted only if the order is given.
 */
export const DATES: Conventions<DateOrder, string> = {
  all: DATE_ORDERS,
  read: (text, order) => {
    const isExcluded = order === 'y-m-d' ? SHORT_FIRST : order === 'm/d/y' ? POINTED : null;
    return isExcluded?.test(text) === true ? null : parseDate(text, order);
  },
  fault: () => 'Not a date',
  label: (order) => order,
  print: (date) => date,
  advice: 'specify the date format',
  option: 'dateFormat',
};

/** Whether no part of a date has more than two digits, such as `24/01/13`. */
export function isOfTwoDigits(text: string): boolean {
  return /^\d{2}([-/.])\d{1,2}\1\d{1,2}(?!\d)/.test(text);
}

/** Date orders of East Asia, where the year is first, also with two digits. */
export const EAST_ASIAN_DATES: Conventions<DateOrder, string> = {
  ...DATES,
  read: (text, order) => {
    if (!isOfTwoDigits(text)) return DATES.read(text, order);
    return order === 'y-m-d' ? parseDate(text, order) : null;
  },
};

/** Date orders, if the caller gives one. */
export const GIVEN_DATES: Conventions<DateOrder, string> = { ...DATES, read: parseDate };

/** Whether a cell holds a date in any order. */
export function looksLikeDate(text: string): boolean {
  return DATES.all.some((order) => DATES.read(text, order) !== null);
}

function calendarDate(yearText: string, monthText: string, dayText: string): string | null {
  if (yearText.length !== 4 && yearText.length !== 2) return null;
  if (monthText.length > 2 || dayText.length > 2) return null;
  const short = Number(yearText);
  const year = yearText.length === 4 ? short : short + (short < 70 ? 2000 : 1900);
  const month = Number(monthText);
  const day = Number(dayText);
  if (year < 1 || day < 1 || day > daysIn(year, month)) {
    // A leap day of a Buddhist year.
    if (year < 2400 || month !== 2 || day !== daysIn(year - 543, 2)) return null;
  }
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

function pad(part: number, digits: number): string {
  return String(part).padStart(digits, '0');
}

/** The options of a reader, where it notes the dates of its entries, and where it keeps what it has read. */
export interface ReaderOptions extends StatementOptions {
  readonly years: YearSurvey;
  readonly scratch: Scratch | undefined;
}

const FIRST_DATE = '1900-01-01';
/** For callers without a clock. */
const LAST_DATE = '2099-12-31';
const ERA = 543;
/** Two digits of a Buddhist year are of the century that began with 2500. */
const CENTURY = 2500;
/** Years from here on were written with four digits. */
const FIRST_BUDDHIST = 2400;
const MAX_PLACES = 100;

interface Place {
  readonly line: number;
  readonly date: string;
  /** As the file has it. */
  readonly text: string;
}

/**
 * A calendar that a file may have by its language, which shows only where a year has two digits: of the Buddhist or the
 * Persian one, or of a Japanese era.
 */
export type Calendar = 'thai' | 'persian' | 'japanese';

/** Years of two digits before it may be those of an era. */
const FIRST_AFTER_ERAS = '2010-01-01';

/** The dates of a file, read in one way. */
interface Reading {
  /** Whether all can be. */
  isPossible: boolean;
  last: string;
}

const nothingRead = (): Reading => ({ isPossible: true, last: '' });

/**
 * Collects the dates of a file, to find years that cannot be: before 1900, or more than a year after `today`. They are
 * of the Buddhist era, 543 years ahead, if all dates of the file can be then. Two digits are, under Thai names only.
 */
export class YearSurvey {
  readonly #today: string;
  readonly #last: string;
  #column: string | null = null;
  #calendar: Calendar | null = null;
  #written = nothingRead();
  #buddhist = nothingRead();
  #places: Place[] = [];
  #strangeCount = 0;

  constructor(today: string | undefined) {
    this.#today = today ?? LAST_DATE;
    const year = Number(this.#today.slice(0, 4));
    this.#last = today === undefined ? LAST_DATE : `${year + 1}${today.slice(4)}`;
  }

  /** Begins to read the file, also a second time. */
  begin(column: string | null, calendar: Calendar | null = null): void {
    this.#column = column;
    this.#calendar = calendar;
    this.#written = nothingRead();
    this.#buddhist = nothingRead();
    this.#places = [];
    this.#strangeCount = 0;
  }

  /** Adds the date of an entry. `text`: as the file has it. */
  note(line: number, date: string, text = date): void {
    const isThai = this.#calendar === 'thai';
    const isPossible = this.isPossible(date) && !this.#isOfOtherEra(date, text);
    if (isPossible && !isThai) {
      this.#buddhist.isPossible = false;
      return;
    }
    if (!isPossible) this.#addPlace({ line, date, text });
    add(this.#written, date, isPossible);
    const canBe = /\d{4}/.test(text) ? date >= String(FIRST_BUDDHIST) : isThai;
    const converted = commonEra(date);
    const isDay = isCalendarDate(converted);
    add(this.#buddhist, converted, canBe && isDay && this.isPossible(converted));
  }

  /** Whether two digits may be those of a year in the calendar of the file. */
  #isOfOtherEra(date: string, text: string): boolean {
    if (/\d{4}|\p{L}/u.test(text)) return false;
    if (this.#calendar === 'japanese') return date < FIRST_AFTER_ERAS;
    return this.#calendar === 'persian';
  }

  #addPlace(place: Place): void {
    this.#strangeCount += 1;
    if (this.#places.length < MAX_PLACES) this.#places.push(place);
  }

  /** Whether the year of a date can be one of a statement. */
  isPossible(date: string): boolean {
    return date >= FIRST_DATE && date <= this.#last;
  }

  /** Whether the years are of the Buddhist era. */
  get isBuddhist(): boolean {
    const { last, isPossible } = this.#buddhist;
    if (last === '' || !isPossible) return false;
    return !this.#written.isPossible || this.#distance(last) < this.#distance(this.#written.last);
  }

  #distance(date: string): number {
    return Math.abs(Number(date.slice(0, 4)) - Number(this.#today.slice(0, 4)));
  }

  /** The dates whose years cannot be, and the option that lets them in; with `anyYear`, only those of no calendar. */
  problems(anyYear: boolean): BadRows {
    const column = this.#column;
    const wrong = anyYear ? this.#places.filter(({ date }) => !isCalendarDate(date)) : this.#places;
    const problems = wrong.map(({ line, date, text }): StatementProblem => {
      const year = `The year ${date.slice(0, 4)} cannot be right: to import it as it is, use --any-year`;
      return {
        line,
        column,
        value: shorten(text, MAX_SHOWN_LENGTH),
        reason: anyYear ? 'Not a date' : year,
      };
    });
    return { count: anyYear ? problems.length : this.#strangeCount, problems };
  }
}

function add(reading: Reading, date: string, isPossible: boolean): void {
  if (!isPossible) reading.isPossible = false;
  if (date > reading.last) reading.last = date;
}

/** The date in the common era, of one whose year is of the Buddhist era. */
function commonEra(date: string): string {
  const year = Number(date.slice(0, 4));
  const whole = year >= FIRST_BUDDHIST ? year : CENTURY + (year % 100);
  return `${String(whole - ERA).padStart(4, '0')}${date.slice(4)}`;
}

/**
 * Returns a statement all of whose years can be: those of the Buddhist era converted, which a warning says; or without
 * the rows that `skipBadRows` leaves out.
 * Errors: StatementError with the years that cannot be, unless the option `anyYear` is given.
 */
export function withPossibleYears(
  statement: Statement,
  years: YearSurvey,
  { anyYear = false, skipBadRows = false }: StatementOptions,
): Statement {
  if (!anyYear && years.isBuddhist) return inCommonEra(statement, years);
  const strange = years.problems(anyYear);
  const [first] = strange.problems;
  if (first === undefined) return statement;
  const isAllStrange = strange.count >= statement.entryCount;
  if (skipBadRows && statement.mapping !== undefined && !isAllStrange && !anyYear)
    return withoutStrange(statement, years, strange);
  const label = `${first.value}, as it is`;
  // One choice for all of them.
  const choices = anyYear ? {} : { choices: [{ label, options: { anyYear: true } }] };
  const problems = [{ ...first, ...choices }, ...strange.problems.slice(1)];
  throw new StatementError(problems, strange.count);
}

function withoutStrange(statement: Statement, years: YearSurvey, strange: BadRows): Statement {
  function* entries(): Generator<Entry> {
    for (const entry of statement.entries()) if (years.isPossible(entry.date)) yield entry;
  }
  const entryCount = countOf(entries());
  const { count = 0, problems = [] } = statement.badRows ?? {};
  const all = [...problems, ...strange.problems].toSorted((a, b) => a.line - b.line);
  const badRows = { count: count + strange.count, problems: all.slice(0, MAX_PLACES) };
  // Balances do not follow from the rest of the rows.
  return { ...statement, entryCount, badRows, entries, stated: [] };
}

function inCommonEra(statement: Statement, years: YearSurvey): Statement {
  const { warnings = [], accounts, stated } = statement;
  const [first] = statement.entries();
  if (first === undefined) return statement;
  const text = `Years are of the Buddhist era: ${first.date} is read as ${commonEra(first.date)}`;
  const warning = { line: first.line, text: `${text} (else use --any-year)` };
  const dated = (date: string | null): string | null =>
    date === null || years.isPossible(date) ? date : commonEra(date);
  const inEra = <T extends Pick<StatedBalances, 'balances'>>(account: T): T => ({
    ...account,
    balances: account.balances.map((each) => ({ ...each, date: dated(each.date) })),
  });
  return {
    ...statement,
    accounts: accounts.map(inEra),
    ...(stated !== undefined && { stated: stated.map(inEra) }),
    warnings: [warning, ...warnings],
    entries: () => entriesInEra(statement.entries()),
  };
}

function* entriesInEra(entries: Iterable<Entry>): Generator<Entry> {
  for (const entry of entries) yield { ...entry, date: commonEra(entry.date) };
}
