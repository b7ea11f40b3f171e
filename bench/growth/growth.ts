import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { startCoffer, type ServerProcess } from '../measure/child.ts';
import { median, medianRatio } from '../measure/processor-time.ts';
import type { PartPlan } from '../measure/plan.ts';
import type { Figure } from '../report/figure.ts';
import { fillDatabase, type FilledDatabase } from './fill.ts';
import { measuredBooks, writeGrowth, type Growth, type MeasuredBookName } from './result.ts';
import { measureOperations, operations, type Costs, type OperationName } from './requests.ts';

const smallestSize = 10_000;
const fullSize = 10_000_000;
const rounds = 5;

/** With indexes, derived tables and the log of the database. */
const bytesPerRow = 1150;

/**
 * Measures operations in databases of 100 books with more and more transactions, up to ten times as many as the large
 * book of the bench has. In a full run it also writes what it measured, with a picture. Throws if the disk has not
 * enough free space.
 */
export async function measureGrowth({ folder, rows, stamp }: PartPlan): Promise<Figure[]> {
  const sizes = sizesUpTo(10 * rows);
  requireSpace(folder, sizes.reduce((sum, size) => sum + size, 0) * bytesPerRow);
  const databases: FilledDatabase[] = [];
  for (const size of sizes) {
    console.log(`  filling 100 books with ${size.toLocaleString('en')} transactions …`);
    databases.push(await fillDatabase(join(folder, `growth-${size}.db`), size));
  }
  const growth = await measureDatabases(databases);
  const figures = figuresOf(growth);
  if (sizes.at(-1) === fullSize) writeGrowth(stamp, growth, figures);
  return figures;
}

function sizesUpTo(largest: number): number[] {
  const sizes = [smallestSize];
  while (sizes.at(-1)! * 10 < largest) sizes.push(sizes.at(-1)! * 10);
  return largest > smallestSize ? [...sizes, largest] : sizes;
}

function requireSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const [needed, free] = [bytes, bavail * bsize].map((each) => (each / 1e9).toFixed(1));
  if (bavail * bsize < bytes)
    throw new Error(`${folder} needs ${needed} GB, but has ${free} GB free`);
}

/** One value for each round, of each database. */
type Samples = readonly (readonly Costs[])[];

async function measureDatabases(databases: readonly FilledDatabase[]): Promise<Growth> {
  const servers: ServerProcess[] = [];
  try {
    for (const { url } of databases) servers.push(await startCoffer(url));
    const samples = {
      same: databases.map((): Costs[] => []),
      growing: databases.map((): Costs[] => []),
    };
    for (let round = 0; round <= rounds; round += 1)
      for (const [at, database] of databases.entries())
        for (const book of measuredBooks) {
          const costs = await measureOperations(servers[at]!, database[book]);
          if (round > 0) samples[book][at]!.push(costs);
        }
    return {
      sizes: databases.map(({ rows }) => rows),
      lines: measuredBooks.flatMap((book) =>
        linesOf(
          book,
          databases.map((database) => database[book].rows),
          samples[book],
        ),
      ),
    };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function linesOf(book: MeasuredBookName, rowsOfBook: readonly number[], samples: Samples) {
  return (Object.keys(operations) as OperationName[]).map((operation) => {
    const values = samples.map((costs) => costs.map((each) => each[operation]));
    return {
      ...{ book, operation, rowsOfBook },
      ms: values.map((each) => median(each)),
      growth: medianRatio(values.at(-1)!, values[0]!),
    };
  });
}

/** The operations that read or write as many rows in a book of any size. */
const bounded: readonly OperationName[] = ['first', 'last', 'insert'];

function figuresOf({ sizes, lines }: Growth): Figure[] {
  const times = (values: readonly number[]): string =>
    Math.round(values.at(-1)! / values[0]!).toLocaleString('en');
  return lines.map(({ book, operation, rowsOfBook, growth }) => ({
    name:
      book === 'same'
        ? `${operations[operation]}, the database ${times(sizes)} times as large`
        : `${operations[operation]}, the book ${times(rowsOfBook)} times as large`,
    ...{ value: growth, unit: 'times' },
    ...((book === 'same' || bounded.includes(operation)) && { atMost: 2 }),
  }));
}
