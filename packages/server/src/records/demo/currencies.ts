import { dayAt } from './calendar.ts';
import { divideHalfToEven } from './divide-half-to-even.ts';

/** The currencies of the demo book; the first is the primary one. */
export const currencies = ['usd', 'eur', 'gbp', 'jpy', 'cad'] as const;
export type Currency = (typeof currencies)[number];

/** US dollars for ten million units of the currency, in the years 2016 to 2026. */
const yearlyRates: Record<Exclude<Currency, 'usd'>, readonly number[]> = {
  eur: [
    10_790_000, 11_300_000, 11_810_000, 11_195_000, 11_420_000, 11_830_000, 10_530_000, 10_815_000,
    10_820_000, 11_300_000, 11_640_000,
  ],
  gbp: [
    12_440_000, 12_885_000, 13_350_000, 12_770_000, 12_840_000, 13_755_000, 12_370_000, 12_440_000,
    12_780_000, 13_180_000, 13_420_000,
  ],
  jpy: [91_900, 89_200, 90_600, 91_700, 93_700, 91_100, 76_100, 71_150, 66_100, 66_800, 65_400],
  cad: [
    7_455_000, 7_710_000, 7_720_000, 7_535_000, 7_460_000, 7_980_000, 7_690_000, 7_410_000,
    7_300_000, 7_155_000, 7_240_000,
  ],
};
const firstYear = 2016;

/** Thousandths that a month's rate lies above or below its year's, January to December. */
const monthlyDrift = [-9, -4, 3, 8, 12, 6, -2, -8, -12, -5, 4, 9];

/** Ten-thousandths in the smallest amount that is paid in the currency: a cent, but a whole yen. */
export function minorUnit(currency: Currency): number {
  return currency === 'jpy' ? 10_000 : 100;
}

/**
 * The amount in US dollars at the rate of the day.
 *
 * Takes and gives integer ten-thousandths. Exact but for the last digit, which is rounded half to even.
 */
export function toUsd(amount: number, currency: Currency, day: number): number {
  if (currency === 'usd') return amount;
  const { year, month } = dayAt(day);
  const yearly = yearlyRates[currency][year - firstYear]!;
  const rate = yearly * (1000 + monthlyDrift[month - 1]!);
  return divideHalfToEven(BigInt(amount) * BigInt(rate), 10_000_000_000n);
}
