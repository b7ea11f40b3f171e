import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sql from 'sql-template-tag';
import { rows as rowsOf } from '../../packages/server/src/db/engine.ts';
import { startCoffer, type ServerProcess } from '../measure/child.ts';
import { median, sum } from '../measure/processor-time.ts';
import type { PartPlan } from '../measure/plan.ts';
import { measureInTurns } from '../measure/turns.ts';
import { benchClock, openBook } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';
import { markdownTable, rewrite } from '../report/markdown.ts';
import { referenceDocument } from '../report/reference.ts';
import type { Stamp } from '../report/results.ts';
import {
  measureOperations,
  operations,
  type MeasuredBook,
  type OperationName,
} from './requests.ts';

const smallestSize = 1000;
const fullSize = 1_000_000;

/**
 * Measures operations in books of 1,000 to `rows` transactions, each in a database of its own. In a full run it also
 * writes what it measured.
 */
export async function measureGrowth({ folder, rows, stamp }: PartPlan): Promise<Figure[]> {
  const books: [url: string, book: MeasuredBook][] = [];
  for (const size of sizesUpTo(rows)) {
    console.log(`  filling a book with ${size.toLocaleString('en')} transactions …`);
    const url = `sqlite:${join(folder, `growth-${size}.db`)}`;
    books.push([url, await fillBook(url, size)]);
  }
  const growth = await measureBooks(books);
  const figures = figuresOf(growth);
  if (growth.sizes.at(-1) === fullSize) writeGrowth(stamp, growth, figures);
  return figures;
}

function sizesUpTo(largest: number): number[] {
  const sizes = [smallestSize];
  while (sizes.at(-1)! * 10 < largest) sizes.push(sizes.at(-1)! * 10);
  return largest > smallestSize ? [...sizes, largest] : sizes;
}

async function fillBook(url: string, size: number): Promise<MeasuredBook> {
  const { engine, book, token } = await openBook(url, size, benchClock);
  const counted = await engine.read(() =>
    rowsOf<{ category_id: number; listed: number }>(sql`
      SELECT category_id, sum(listed) AS listed FROM transaction_sums WHERE book_id = ${book.id}
      GROUP BY 1 ORDER BY 1`),
  );
  await engine.close();
  const categories = new Map(counted.map((each) => [each.category_id, each.listed]));
  return { token, rows: sum([...categories.values()]), categories };
}

async function measureBooks(
  books: readonly (readonly [url: string, book: MeasuredBook])[],
): Promise<Growth> {
  const servers: ServerProcess[] = [];
  try {
    for (const [url] of books) servers.push(await startCoffer(url));
    const targets = books.map(([, book], at) => {
      const measure = () => measureOperations(servers[at]!, book);
      return [`${book.rows} `, measure] as const;
    });
    const samples = await measureInTurns(Object.fromEntries(targets));
    const sizes = books.map(([, { rows }]) => rows);
    const lines = (Object.keys(operations) as OperationName[]).map((operation) => {
      const names = sizes.map((rows) => `${rows} ${operation}`);
      const growth = samples.times('', names.at(-1)!, names[0]!).value;
      return { operation, ms: names.map((name) => median(samples.of(name))), growth };
    });
    return { sizes, lines };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function figuresOf({ sizes, lines }: Growth): Figure[] {
  const times = Math.round(sizes.at(-1)! / sizes[0]!).toLocaleString('en');
  return lines.map(({ operation, growth }) => {
    const { what, atMost } = operations[operation];
    return {
      name: `${what}, the book ${times} times as large`,
      value: growth,
      unit: 'times',
      atMost,
    };
  });
}

interface GrowthLine {
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

function writeGrowth(stamp: Stamp, growth: Growth, figures: readonly Figure[]): void {
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
