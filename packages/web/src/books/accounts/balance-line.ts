/** A point of a line in a square of 100 by 100, with the origin above at the left. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line of balances, and where zero is; null when zero is outside. */
export interface BalanceLine {
  readonly points: readonly Point[];
  readonly zero: number | null;
}

/** Lays out balances at equal distances. All equal balances lie in the middle. */
export function layBalances(balances: readonly number[]): BalanceLine {
  const [low, high] = [Math.min(...balances), Math.max(...balances)];
  const range = high - low;
  const heightOf = (value: number): number =>
    range === 0 ? 50 : Math.min((100 * (high - value)) / range, 100);
  const step = balances.length > 1 ? 100 / (balances.length - 1) : 0;
  const points = balances.map((value, place) => ({ x: place * step, y: heightOf(value) }));
  return { points, zero: range > 0 && low <= 0 && high >= 0 ? heightOf(0) : null };
}
