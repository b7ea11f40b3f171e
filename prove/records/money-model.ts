import { integerFrom, type Random } from '../../test/service/random.ts';

const largest = 2n ** 53n - 1n;

/** Amounts where a float is inexact: the largest, nearly a whole unit, and the smallest. */
const edges = [largest, -largest, largest - 992n, -9_999n, 0n, 1n, -1n, 10_000n];

export function amountFrom(random: Random): bigint {
  const kind = integerFrom(random, 0, 199);
  if (kind < edges.length) return edges[kind]!;
  const bits =
    (BigInt(integerFrom(random, 0, 2 ** 27 - 1)) << 26n) |
    BigInt(integerFrom(random, 0, 2 ** 26 - 1));
  const size = bits % 2n ** BigInt(integerFrom(random, 1, 53));
  return random() < 0.5 ? size : -size;
}

/** Returns amounts of parts with the sum `amount`, each of them in range. */
export function splitOf(amount: bigint, parts: number, random: Random): bigint[] {
  const split: bigint[] = [];
  let rest = amount;
  for (let n = 1; n < parts; n += 1) {
    const part = amountFrom(random);
    const left = rest - part;
    const taken = left > largest || left < -largest ? 0n : part;
    split.push(taken);
    rest -= taken;
  }
  return [...split, rest];
}

export function print(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(5, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}

export function read(text: string): bigint {
  if (!/^-?\d+\.\d{4}$/.test(text)) throw new Error(`"${text}" is no amount with four decimals`);
  return BigInt(text.replace('.', ''));
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
