import { raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { integer } from './table.ts';

/** Divides amounts in two parts, so that no sum of less than 60 million of them leaves the range of integers. */
const divisor = 2 ** 27;

/** A sum of amounts in two parts, each a safe integer. */
export interface SumParts {
  readonly high: number;
  readonly low: number;
}

/** The columns `high` and `low` of {@link exactSum}, for `rowsAs`. */
export const sumParts = { high: integer, low: integer };

/** Returns the columns `high` and `low`: the exact sum of an integer column, for {@link sumOf}. */
export function exactSum(column: string): Sql {
  // The divisor as text, because SQLite gets numbers as floating-point values, by which it does not divide integers.
  return raw(
    `CAST(sum(${column} / ${divisor}) AS BIGINT) AS high, CAST(sum(${column} % ${divisor}) AS BIGINT) AS low`,
  );
}

/** Returns the parts of one amount, as {@link exactSum} computes them. Parts can be added. */
export function partsOf(amount: number): SumParts {
  return { high: Math.trunc(amount / divisor), low: amount % divisor };
}

/** Returns the sum that two parts make. */
export function sumOf({ high, low }: SumParts): bigint {
  return BigInt(high) * BigInt(divisor) + BigInt(low);
}
