import { addDays, dayNumber } from '@coffer/core/dates';
import { divideHalfToEven } from '@coffer/core/money';
import { days, monthNames } from './calendar.ts';
import type { DemoRate } from './demo-book.ts';

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
    rateDates.map((date, at) => ({ currency, date, perEur: decimal(rateAt(currency, at)) })),
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
