import { dayNumber } from '@coffer/core/dates';
import { ConventionFinder } from '../../statement/amounts.ts';
import {
  DATES,
  EAST_ASIAN_DATES,
  GIVEN_DATES,
  isOfTwoDigits,
  parseDate,
} from '../../statement/dates.ts';
import type { DateOrder, StatementProblem, StatementOptions } from '../../statement/statement.ts';
import { trimmedCell } from '../table/cells.ts';
import { columnName, isEastAsian, type Layout } from '../table/header.ts';
import { rowCurrency } from './entries.ts';

/** The order of the dates of a table, and a date that has another order elsewhere, if the order is only likely. */
export interface DateDecision {
  readonly order: DateOrder;
  /** The first date that fits several orders, unless something decides. */
  readonly ambiguous: StatementProblem | null;
  readonly assumed: { readonly problem: StatementProblem; readonly because: string } | null;
}

const SHORT_ORDERS: readonly DateOrder[] = ['d/m/y', 'm/d/y'];
const MAX_LAG_DAYS = 10;
const FAR_DAYS = 25;
const MIN_CHANGES = 3;

/** What the rows look like if their dates have one order. */
interface Trial {
  readonly order: DateOrder;
  last: number | null;
  ups: number;
  downs: number;
  /** Rows with two different dates, and those of them whose dates are far apart. */
  pairs: number;
  farPairs: number;
}

/** Finds the order of day and month: by the column, else by what else the file shows. */
export class DateSurvey {
  readonly #layout: Layout;
  readonly #finder: ConventionFinder<DateOrder, string>;
  /** Other columns of dates, as far as they are written alike. */
  readonly #others = new ConventionFinder(DATES, undefined);
  /** Whether a row has US dollars and a time zone of the USA. */
  #isOfUsa = false;
  readonly #trials: readonly Trial[] = SHORT_ORDERS.map((order) => ({
    order,
    last: null,
    ups: 0,
    downs: 0,
    pairs: 0,
    farPairs: 0,
  }));

  readonly #shortYears: ShortYears | null;

  constructor(layout: Layout, { dateFormat, today }: StatementOptions) {
    this.#layout = layout;
    const detected = isEastAsian(layout.names) ? EAST_ASIAN_DATES : DATES;
    const conventions = dateFormat === undefined ? detected : GIVEN_DATES;
    this.#finder = new ConventionFinder(conventions, dateFormat);
    this.#shortYears = conventions === DATES ? new ShortYears(today) : null;
  }

  /** Adds the date of a row. Returns null if it fits, else the reason why not. */
  note(date: string, line: number, cells: readonly string[]): string | null {
    const name = columnName(this.#layout, this.#layout.columns.date!);
    const fault = this.#finder.note(date, line, name);
    this.#shortYears?.add(date, line, name);
    if (fault !== null || this.#finder.isDecided) return fault;
    this.#compare(date, line, cells);
    this.#isOfUsa ||= cells.some(isZoneOfUsa) && rowCurrency(cells, this.#layout, null) === 'usd';
    return fault;
  }

  /** The last valid date; null if there is none yet. */
  get last(): string | null {
    return this.#finder.lastValue;
  }

  #compare(date: string, line: number, cells: readonly string[]): void {
    const other = this.#layout.otherDates
      .map((index) => trimmedCell(cells, index))
      .find((cell) => cell !== '' && separatorOf(cell) === separatorOf(date));
    if (other !== undefined) this.#others.note(other, line, '');
    for (const trial of this.#trials) addTo(trial, date, other);
  }

  decide(): DateDecision {
    const short = this.#shortYears?.problem() ?? null;
    const problem = short ?? this.#finder.ambiguity();
    const decided = { order: this.#finder.convention, ambiguous: null, assumed: null };
    if (problem === null) return decided;
    if (short !== null) return { ...decided, ambiguous: short };
    const sure = this.#sureOrder(problem.value ?? '');
    if (sure !== null) return { ...decided, order: sure };
    const likely = this.#likelyOrder();
    if (likely === null) return { ...decided, ambiguous: problem };
    const assumed = { problem, because: likely.because };
    return { order: likely.order, ambiguous: null, assumed };
  }

  /** The order of other dates of the file that are written alike. */
  #sureOrder(date: string): DateOrder | null {
    const others = this.#others.possible.filter((order) => SHORT_ORDERS.includes(order));
    if (this.#others.hasValues && others.length === 1) return others[0]!;
    const above = this.#layout.datesAbove.filter((text) => separatorOf(text) === separatorOf(date));
    const fitting = SHORT_ORDERS.filter((order) => above.every((text) => parseDate(text, order)));
    return fitting.length === 1 ? fitting[0]! : null;
  }

  #likelyOrder(): { order: DateOrder; because: string } | null {
    const known = this.#layout.profile?.dateOrder;
    if (known !== undefined)
      return { order: known, because: `${this.#layout.profile!.name} writes dates` };
    if (this.#isOfUsa)
      return {
        order: 'm/d/y',
        because: 'files with US dollars and a time zone of the USA write dates',
      };
    if (this.#layout.isDayFirst)
      return { order: 'd/m/y', because: 'the language of the header writes dates' };
    const near = this.#only((trial) => trial.pairs > 0 && trial.farPairs === 0);
    if (near !== null)
      return { order: near, because: 'the dates of a row are then close together' };
    const sorted = this.#only(isSorted);
    return sorted === null ? null : { order: sorted, because: 'the rows are then sorted' };
  }

  /** The order of the only trial that fits; null if both or none do. */
  #only(isFit: (trial: Trial) => boolean): DateOrder | null {
    const fitting = this.#trials.filter(isFit);
    return fitting.length === 1 ? fitting[0]!.order : null;
  }
}

const NEAR_YEARS = 1;
const FAR_YEARS = 3;
const OLD_YEARS = 6;

/** Dates of two digits each: whether the first may be the year, although nearly nobody writes so. */
class ShortYears {
  readonly #today: string | undefined;
  #first: StatementProblem | null = null;
  #isPossible = true;
  readonly #starts = new Span();
  readonly #ends = new Span();

  constructor(today: string | undefined) {
    this.#today = today;
  }

  add(text: string, line: number, column: string): void {
    if (!this.#isPossible || text === '') return;
    const isShort = isOfTwoDigits(text) && !text.includes('.');
    this.#isPossible = isShort && parseDate(text, 'y-m-d') !== null;
    if (!this.#isPossible) return;
    this.#first ??= { line, column, value: text, reason: '' };
    this.#starts.add(Number(text.slice(0, 2)));
    this.#ends.add(Number(/^\d{2}[-/]\d{1,2}[-/](\d{2})(?!\d)/.exec(text)?.[1] ?? 0));
  }

  /** The first date, if years at the end are far apart or long ago, and those at the start are not. */
  problem(): StatementProblem | null {
    if (!this.#isPossible || this.#first === null || this.#starts.size > NEAR_YEARS) return null;
    const today = Number(this.#today?.slice(2, 4) ?? NaN);
    const isOld = this.#ends.max < today - OLD_YEARS && this.#starts.isNear(today);
    return this.#ends.size >= FAR_YEARS || isOld ? withOrders(this.#first) : null;
  }
}

class Span {
  min = Infinity;
  max = -Infinity;

  add(value: number): void {
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
  }

  get size(): number {
    return this.max - this.min;
  }

  isNear(value: number): boolean {
    return this.min >= value - NEAR_YEARS - 1 && this.max <= value + NEAR_YEARS;
  }
}

function withOrders(problem: StatementProblem): StatementProblem {
  const orders = DATES.all.filter((order) => parseDate(problem.value ?? '', order) !== null);
  const choices = orders.map((order) => ({
    label: `${parseDate(problem.value ?? '', order)} (${order})`,
    options: { dateFormat: order },
  }));
  const labels = choices.map(({ label }) => label).join(' or ');
  return { ...problem, reason: `Could be ${labels}: specify the date format`, choices };
}

function isSorted({ ups, downs }: Trial): boolean {
  return ups + downs >= MIN_CHANGES && (ups === 0 || downs === 0);
}

function addTo(trial: Trial, date: string, other: string | undefined): void {
  const day = dayIn(date, trial.order);
  if (day === null) return;
  if (trial.last !== null && day > trial.last) trial.ups += 1;
  if (trial.last !== null && day < trial.last) trial.downs += 1;
  trial.last = day;
  const otherDay = other === undefined ? null : dayIn(other, trial.order);
  if (otherDay === null || otherDay === day) return;
  const lag = Math.abs(otherDay - day);
  trial.pairs += 1;
  if (lag > FAR_DAYS) trial.farPairs += 1;
  else if (lag > MAX_LAG_DAYS) trial.pairs -= 1;
}

function dayIn(text: string, order: DateOrder): number | null {
  const date = parseDate(text, order);
  return date === null ? null : dayNumber(date);
}

function isZoneOfUsa(cell: string): boolean {
  return /(?:^|[\s(\d])(?:P|E|M|C)[SD]T\)?$/.test(cell.trim());
}

/** The sign between the parts of a date, and whether its year has two digits. */
function separatorOf(text: string): string {
  const parts = /^\d{1,2}([-/.])\d{1,2}[-/.](\d{4}|\d{2})/.exec(text);
  return parts === null ? '' : `${parts[1]}${parts[2]!.length}`;
}
