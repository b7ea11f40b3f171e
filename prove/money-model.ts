/** The largest amount there is, in ten-thousandths, either way. */
const largest = 2n ** 53n - 1n;

/** Where a float would be off, or a digit lost: the largest, nearly a whole unit, and the smallest. */
const edges = [largest, -largest, largest - 992n, -9_999n, 0n, 1n, -1n, 10_000n];

/** Random numbers that are the same for a seed: xorshift, 64 bits. Source: Marsaglia (2003). */
export class Random {
  #state: bigint;

  constructor(seed: number) {
    this.#state = BigInt.asUintN(64, BigInt(seed) * 0x9e37_79b9_7f4a_7c15n + 1n);
  }

  /** A whole number from 0 to below `bound`, which is at most 2^53. */
  below(bound: number): number {
    return Number(this.#next() % BigInt(bound));
  }

  /** An amount of any size: as many small as large ones, and now and then the largest or zero. */
  amount(): bigint {
    const kind = this.below(200);
    if (kind < edges.length) return edges[kind]!;
    const size = this.#next() % 2n ** BigInt(1 + this.below(53));
    return this.below(2) === 0 ? size : -size;
  }

  #next(): bigint {
    let state = this.#state;
    state ^= BigInt.asUintN(64, state << 13n);
    state ^= state >> 7n;
    state ^= BigInt.asUintN(64, state << 17n);
    this.#state = state;
    return state;
  }
}

/** Amounts of parts that add up to `amount`, each of them one that can be stored. */
export function splitOf(amount: bigint, parts: number, random: Random): bigint[] {
  const split: bigint[] = [];
  let rest = amount;
  for (let n = 1; n < parts; n += 1) {
    const part = random.amount();
    const left = rest - part;
    const taken = left > largest || left < -largest ? 0n : part;
    split.push(taken);
    rest -= taken;
  }
  return [...split, rest];
}

/** Prints ten-thousandths with four decimals. */
export function print(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(5, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}

/** Reads what {@link print} prints. */
export function read(text: string): bigint {
  if (!/^-?\d+\.\d{4}$/.test(text)) throw new Error(`"${text}" is no amount with four decimals`);
  return BigInt(text.replace('.', ''));
}

/** Adds up amounts, without bound. */
export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
