import {
  addDays,
  dayNumber,
  daysIn,
  dayOfMonth,
  isCalendarDate,
  monthNumber,
  monthOfNumber,
} from '@coffer/core/dates';
import { divideHalfToEven } from '@coffer/core/money';
import type { DemoRate } from './demo-book.ts';

/** One day of the demo book's ten years. */
export interface Day {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** `YYYY-MM`. */
  readonly monthName: string;
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 0 for Sunday to 6 for Saturday. */
  readonly weekday: number;
}

const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Every day in order: index 0 is 2016-11-01, the last one 2026-10-31. Other files refer to days by this index. */
export const days: readonly Day[] = Array.from({ length: 120 }, (_, at) => listMonth(at + 10))
  .flat()
  // 2016-11-01 was a Tuesday.
  .map((day, index) => ({ ...day, weekday: (index + 2) % 7 }));

export const lastDay = days.length - 1;

const indexes = Map.groupBy(days.keys(), (index) => days[index]!.monthName);

/** `YYYY-MM` of every month, in order. */
export const monthNames: readonly string[] = [...indexes.keys()];

/** Returns the day with this index. Throws a RangeError outside the ten years. */
export function dayAt(index: number): Day {
  const day = days[index];
  if (day === undefined) throw new RangeError(`Day "${index}" is outside the demo book`);
  return day;
}

/** Returns the index of the day `YYYY-MM-DD`; a day past the end of a month means its last day. */
export function dayOn(date: string): number {
  const month = indexes.get(date.slice(0, 7));
  if (month === undefined) throw new RangeError(`Day "${date}" is outside the demo book`);
  return month[Math.min(Number(date.slice(8)), month.length) - 1]!;
}

/** Months are counted from January 2016. In these years every fourth year is a leap year. */
function listMonth(at: number): Omit<Day, 'weekday'>[] {
  const [year, month] = [2016 + Math.floor(at / 12), (at % 12) + 1];
  const monthName = `${year}-${String(month).padStart(2, '0')}`;
  const length = month === 2 && year % 4 === 0 ? 29 : daysInMonth[month - 1]!;
  return Array.from({ length }, (_, day) => {
    return { date: `${monthName}-${String(day + 1).padStart(2, '0')}`, monthName, year, month };
  });
}

/** What one euro is worth, in ten-thousandths of a currency: invented. */
const perEuro = { usd: 11_300, gbp: 8_720, jpy: 1_388_000, cad: 15_050 };
type RatedCurrency = keyof typeof perEuro;

/** Thousandths by which the rate of a month is higher or lower, January to December. */
const monthlyDrift = [-9, -4, 3, 8, 12, 6, -2, -8, -12, -5, 4, 9];

/** Of the units in which rates are kept here. */
const ratePlaces = 7;
const euro = 10 ** ratePlaces;

/** The first days of the months, and of the month after them. */
const monthStarts = [...monthNames, '2026-11'].map((month) => `${month}-01`);

/** A rate is valid from its date on. There is one for each month, from shortly before it begins. */
const rateDates = monthStarts.map((start) => {
  // A working day on which central banks publish rates, so that imported rates replace all of these.
  const before24 = `${addDays(start, -1).slice(0, 8)}24`;
  const weekday = (dayNumber(before24) + 4) % 7;
  return addDays(before24, weekday === 6 ? -1 : weekday === 0 ? -2 : 0);
});

/** The place in `rateDates` of the rate of each day. */
const rateOfDay = days.map(({ date }) => rateDates.findLastIndex((each) => each <= date));

/** Returns the smallest amount in the currency in ten-thousandths: a cent, but ten yen. */
export function smallestAmount(currency: string): number {
  return currency === 'jpy' ? 100_000 : 100;
}

/**
 * Returns the amount in US dollars at the last rate up to that day, rounded half to even.
 *
 * Amounts are integer ten-thousandths.
 */
export function toUsd(amount: number, currency: string, day: number): number {
  if (currency === 'usd') return amount;
  const at = rateOfDay[day]!;
  const own = currency === 'eur' ? euro : rateAt(currency as RatedCurrency, at);
  return Number(divideHalfToEven(BigInt(amount) * BigInt(rateAt('usd', at)), BigInt(own)));
}

/** All rates of the demo book, by currency and date. */
export const rates: readonly DemoRate[] = (Object.keys(perEuro) as RatedCurrency[]).flatMap(
  (currency) =>
    rateDates.map((date, at) => ({ currency, date, per_eur: decimal(rateAt(currency, at)) })),
);

/** Returns a rate in units of 10^-7. The currencies do not rise and fall in the same months. */
function rateAt(currency: RatedCurrency, at: number): number {
  const shift = 3 * Object.keys(perEuro).indexOf(currency);
  // The first month is a November.
  return perEuro[currency] * (1000 + monthlyDrift[(at + 10 + shift) % 12]!);
}

function decimal(rate: number): string {
  const digits = String(rate).padStart(ratePlaces + 1, '0');
  const fraction = digits.slice(-ratePlaces).replace(/(?<!0)0+$/, '');
  return `${digits.slice(0, -ratePlaces)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Which days of the ten years a demo book has, and where in time they are. */
export interface Span {
  /** The index of the book's last day, in the last of its months. */
  readonly last: number;
  /** By how many months all dates are later than in the tables, or earlier. */
  readonly months: number;
}

/** The ten years of the tables, whole and in their place. */
export const wholeSpan: Span = { last: lastDay, months: 0 };

/** The first and the last year in which a book can end: every date of it is one that the service accepts. */
const [firstYear, lastYear] = [2000, 2999];

/**
 * Returns the span of a book that ends on the day `YYYY-MM-DD`: its last month is that of the day. On the last day of a
 * month, the month is whole. Throws a RangeError for another text, and for years before 2000 or after 2999.
 */
export function spanUntil(day: string): Span {
  const year = Number(day.slice(0, 4));
  if (!isCalendarDate(day) || year < firstYear || year > lastYear)
    throw new RangeError(
      `The last day must be a date from ${firstYear}-01-01 to ${lastYear}-12-31, not "${day}"`,
    );
  const [end, month] = [dayAt(lastDay), Number(day.slice(5, 7))];
  const isWhole = Number(day.slice(8)) === daysIn(year, month);
  return {
    last: isWhole ? lastDay : dayOn(`${end.monthName}-${day.slice(8)}`),
    months: (year - end.year) * 12 + month - end.month,
  };
}

/** Returns a date or a month, `YYYY-MM-DD` or `YYYY-MM`, some months later; past the end of a month, its last day. */
export function moved(date: string, months: number): string {
  const month = monthNumber(date) + months;
  return date.length === 7 ? monthOfNumber(month) : dayOfMonth(month, Number(date.slice(8)));
}

/** Moves the first date of something monthly, which keeps its day of the month: past months without that day. */
export function movedAnchor(date: string, months: number): string {
  const place = moved(date, months);
  return place.slice(8) === date.slice(8) ? place : movedAnchor(date, months + 1);
}
