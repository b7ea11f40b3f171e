/**
 * A small seeded random number generator: the same seed gives the same sequence on every machine. Not for secrets.
 *
 * A counter in steps of 2^32 divided by the golden ratio; each value is scrambled by two multiplications and three
 * shifts. It avoids powers and logarithms, whose last digit differs between JavaScript engines.
 */
export class Random {
  #counter: number;

  /** Uses the low 32 bits of `seed`. */
  constructor(seed: number) {
    this.#counter = scramble(seed ^ 0x5bd1e995);
  }

  /** Returns a fraction from 0 inclusive to 1 exclusive, in steps of 2^-32. */
  fraction(): number {
    this.#counter = (this.#counter + 0x9e3779b9) >>> 0;
    return scramble(this.#counter) / 4294967296;
  }

  /** Returns an integer from `least` to `most`, both inclusive. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  /** Returns true in `percent` of 100 cases. */
  chance(percent: number): boolean {
    return this.fraction() * 100 < percent;
  }

  /** Returns one of the items, all equally likely. Throws a RangeError if there are none. */
  pick<T>(items: readonly T[]): T {
    return existing(items[this.integer(0, items.length - 1)]);
  }

  /** Returns one of the items in proportion to their weights; `sums` are the {@link runningSums} of the weights. */
  pickWeighted<T>(items: readonly T[], sums: readonly number[]): T {
    const place = this.fraction() * (sums.at(-1) ?? 0);
    return existing(items[sums.findIndex((sum) => place < sum)]);
  }
}

/** Returns each weight (0 or more, not all 0) added to those before it. */
export function runningSums(weights: readonly number[]): number[] {
  let sum = 0;
  return weights.map((weight) => (sum += weight));
}

function existing<T>(item: T | undefined): T {
  if (item === undefined) throw new RangeError('There is nothing to pick from');
  return item;
}

function scramble(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
