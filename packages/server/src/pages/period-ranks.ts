/** The number of rows in a period: a month as in 202412, or a day as in 20241231. */
export interface PeriodCount {
  readonly period: number;
  readonly count: number;
}

/** An entry of a cache without its arrays. */
const fixedBytes = 400;

/** Counts of periods as running totals: finds the rank of a period and the period of a rank by binary search. */
export class PeriodRanks {
  /** Newest first. */
  readonly #periods: Int32Array;
  /** The rows of all newer periods; one more at the end, with the total. */
  readonly #newer: Float64Array;

  /** `counts` are newest first. */
  constructor(counts: readonly PeriodCount[]) {
    this.#periods = Int32Array.from(counts, ({ period }) => period);
    this.#newer = new Float64Array(counts.length + 1);
    for (const [place, { count }] of counts.entries())
      this.#newer[place + 1] = this.#newer[place]! + count;
  }

  get total(): number {
    return this.#newer.at(-1)!;
  }

  /** The number of rows in one period. */
  countOf(period: number): number {
    return this.after(period - 1) - this.after(period);
  }

  /** The number of rows in newer periods. */
  after(period: number): number {
    return this.#newer[
      firstPlace(this.#periods.length, (place) => this.#periods[place]! <= period)
    ]!;
  }

  /** The period of the row with this rank: 0 for the newest row, less than the total. */
  at(rank: number): number {
    return this.#periods[
      firstPlace(this.#periods.length, (place) => this.#newer[place + 1]! > rank)
    ]!;
  }

  /** The approximate size in memory. */
  get bytes(): number {
    return fixedBytes + this.#periods.byteLength + this.#newer.byteLength;
  }
}

/** Returns the first place from 0 for which the condition holds, as for all after it; `length` if there is none. */
function firstPlace(length: number, holds: (place: number) => boolean): number {
  let from = 0;
  let to = length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
