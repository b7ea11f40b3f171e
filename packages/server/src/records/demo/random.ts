/**
 * A small seeded source of numbers: the same seed gives the same sequence on every machine.
 *
 * A counter in steps of 2^32 divided by the golden ratio, each value scrambled by two multiplications and three
 * shifts. Only integer operations and the four exact floating point ones are used, never powers or logarithms, whose
 * last digit an engine may choose. Good enough for a demo, unfit for secrets.
 */
export class Random {
  readonly #seed: number;
  #counter: number;

  /** Takes the low 32 bits of `seed`. */
  constructor(seed: number) {
    this.#seed = seed >>> 0;
    this.#counter = scramble(this.#seed ^ 0x5bd1e995);
  }

  /** An independent sequence for the named purpose; draws from one do not shift the other. */
  fork(purpose: string): Random {
    let hash = 0x811c9dc5;
    for (let i = 0; i < purpose.length; i += 1) {
      hash = Math.imul(hash ^ purpose.charCodeAt(i), 0x01000193);
    }
    return new Random(scramble(this.#seed + 1) ^ hash);
  }

  /** A fraction from 0 inclusive to 1 exclusive, in steps of 2^-32. */
  fraction(): number {
    this.#counter = (this.#counter + 0x9e3779b9) >>> 0;
    return scramble(this.#counter) / 4294967296;
  }

  /** A whole number from `least` to `most`, both inclusive. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  /** Like {@link integer}, but small numbers are likelier, as prices are. */
  skewedInteger(least: number, most: number): number {
    return least + Math.floor(this.fraction() * this.fraction() * (most - least + 1));
  }

  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean {
    return this.fraction() * 100 < percent;
  }

  /** One of the items, all equally likely. Throws a RangeError when there are none. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('There is nothing to pick from');
    return items[this.integer(0, items.length - 1)] as T;
  }

  /** An index into the weights whose {@link runningSums} these are, likelier the greater its weight. */
  pickWeighted(sums: readonly number[]): number {
    const at = this.fraction() * (sums.at(-1) ?? 0);
    const index = sums.findIndex((sum) => at < sum);
    if (index === -1) throw new RangeError('There is nothing to pick from');
    return index;
  }
}

/** Each weight (0 or more, not all 0) added to those before it. */
export function runningSums(weights: readonly number[]): number[] {
  let sum = 0;
  return weights.map((weight) => (sum += weight));
}

function scramble(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
