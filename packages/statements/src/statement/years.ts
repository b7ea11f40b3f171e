import { isCalendarDate } from '@coffer/core/dates';
import { shorten } from '@coffer/core/text';
import type { Scratch } from './kept.ts';
import { MAX_SHOWN_LENGTH, StatementError, countOf } from './statement-error.ts';
import type { StatementProblem, BadRows, Entry, Statement, StatementOptions } from './statement.ts';

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
  return { ...statement, entryCount, badRows, entries };
}

function inCommonEra(statement: Statement, years: YearSurvey): Statement {
  const { warnings = [], accounts } = statement;
  const [first] = statement.entries();
  if (first === undefined) return statement;
  const text = `Years are of the Buddhist era: ${first.date} is read as ${commonEra(first.date)}`;
  const warning = { line: first.line, text: `${text} (else use --any-year)` };
  const dated = (date: string | null): string | null =>
    date === null || years.isPossible(date) ? date : commonEra(date);
  return {
    ...statement,
    accounts: accounts.map((account) => ({
      ...account,
      balances: account.balances.map((each) => ({ ...each, date: dated(each.date) })),
    })),
    warnings: [warning, ...warnings],
    entries: () => inEra(statement.entries()),
  };
}

function* inEra(entries: Iterable<Entry>): Generator<Entry> {
  for (const entry of entries) yield { ...entry, date: commonEra(entry.date) };
}
