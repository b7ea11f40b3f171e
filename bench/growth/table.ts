import { writeFileSync } from 'node:fs';
import type { Figure } from '../report/figure.ts';
import { markdownTable, rewrite } from '../report/markdown.ts';
import { referenceDocument } from '../report/reference.ts';
import type { Stamp } from '../report/results.ts';
import { operations, type OperationName } from './requests.ts';

export const measuredBooks = ['same', 'growing'] as const;

export interface GrowthLine {
  readonly book: (typeof measuredBooks)[number];
  readonly operation: OperationName;
  readonly rowsOfBook: readonly number[];
  readonly ms: readonly number[];
  /** The cost in the largest database against that in the smallest: the median of the ratios of the rounds. */
  readonly growth: number;
}

export interface Growth {
  /** Ascending. */
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

const captions = { same: 'others grow', growing: 'it grows, too' };

/** Returns a table of costs by the number of transactions in the database. */
export function growthTable({ sizes, lines }: Growth): string {
  const head = [
    'Milliseconds of a processor',
    'Book',
    ...sizes.map((size) => size.toLocaleString('en')),
  ];
  const rows = lines.map(({ operation, book, ms }) => [
    operations[operation].what,
    captions[book],
    ...ms.map((each) => String(Number(each.toPrecision(2)))),
  ]);
  return markdownTable([head, ...rows]);
}
