import { divideHalfToEven } from '@coffer/core/money';
import { dayAt } from './calendar.ts';

/** The price of ten million units in US dollars: invented. */
const rates: Record<string, number> = { eur: 11300000, gbp: 12960000, jpy: 81400, cad: 7510000 };

/** Thousandths by which the rate of a month is higher or lower, January to December. */
const monthlyDrift = [-9, -4, 3, 8, 12, 6, -2, -8, -12, -5, 4, 9];

/** Returns the smallest amount in the currency in ten-thousandths: a cent, but ten yen. */
export function smallestAmount(currency: string): number {
  return currency === 'jpy' ? 100_000 : 100;
}

/**
 * Returns the amount in US dollars at the rate of the month, rounded half to even.
 *
 * Amounts are integer ten-thousandths.
 */
export function toUsd(amount: number, currency: string, day: number): number {
  if (currency === 'usd') return amount;
  const rate = rates[currency]! * (1000 + monthlyDrift[dayAt(day).month - 1]!);
  return Number(divideHalfToEven(BigInt(amount) * BigInt(rate), 10_000_000_000n));
}
