import { join } from 'node:path';
import sql from 'sql-template-tag';
import { rows as rowsOf } from '../../packages/server/src/db/engine.ts';
import { startCoffer, type ServerProcess } from '../measure/child.ts';
import { median, sum } from '../measure/processor-time.ts';
import type { PartPlan } from '../measure/plan.ts';
import { measureInTurns } from '../measure/turns.ts';
import { benchClock, openBook } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';
import { writeGrowth, type Growth } from './table.ts';
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
