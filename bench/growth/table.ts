import { writeFileSync } from 'node:fs';
import type { Figure } from '../report/figure.ts';
import { markdownTable, rewrite } from '../report/markdown.ts';
import { referenceDocument } from '../report/reference.ts';
import type { Stamp } from '../report/results.ts';
import { operations, type OperationName } from './requests.ts';

export interface GrowthLine {
  readonly operation: OperationName;
  readonly ms: readonly number[];
  /** The cost in the largest book against that in the smallest: the median of the ratios of the rounds. */
  readonly growth: number;
}

export interface Growth {
  /** Transactions of the books, ascending. */
  readonly sizes: readonly number[];
  readonly lines: readonly GrowthLine[];
}

export const resultFile = new URL('../results/growth.json', import.meta.url);

export function writeGrowth(stamp: Stamp, growth: Growth, figures: readonly Figure[]): void {
  const { date, commit, machine } = stamp;
  const result = { date, commit, machine, ...growth, figures };
  writeFileSync(resultFile, `${JSON.stringify(result, null, 2)}\n`);
  rewrite(referenceDocument, 'growth', growthTable(growth));
}

/** Returns a table of costs by the number of transactions in the book. */
export function growthTable({ sizes, lines }: Growth): string {
  const head = [
    'Milliseconds of a processor',
    ...sizes.map((size) => size.toLocaleString('en')),
    'Growth',
  ];
  const digits = (value: number): string => String(Number(value.toPrecision(2)));
  const rows = lines.map(({ operation, ms, growth }) => [
    operations[operation].what,
    ...ms.map(digits),
    digits(growth),
  ]);
  return markdownTable([head, ...rows]);
}
