import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { startCoffer, type ServerProcess } from '../measure/child.ts';
import { median, sum } from '../measure/processor-time.ts';
import type { PartPlan } from '../measure/plan.ts';
import { measureInTurns } from '../measure/turns.ts';
import type { Figure } from '../report/figure.ts';
import { fillDatabase, type FilledDatabase } from './fill.ts';
import { measuredBooks, writeGrowth, type Growth } from './table.ts';
import { measureOperations, operations, type OperationName } from './requests.ts';

const smallestSize = 10_000;
const fullSize = 10_000_000;

/** With indexes, derived tables and the log of the database. */
const bytesPerRow = 1150;

/**
 * Measures operations in databases of 100 books with more and more transactions, up to ten times as many as the large
 * book of the bench has. In a full run it also writes what it measured. Throws if the disk has not
 * enough free space.
 */
export async function measureGrowth({ folder, rows, stamp }: PartPlan): Promise<Figure[]> {
  const sizes = sizesUpTo(10 * rows);
  requireSpace(folder, sum(sizes) * bytesPerRow);
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

async function measureDatabases(databases: readonly FilledDatabase[]): Promise<Growth> {
  const servers: ServerProcess[] = [];
  try {
    for (const { url } of databases) servers.push(await startCoffer(url));
    const targets = databases.flatMap((database, at) =>
      measuredBooks.map((book) => {
        const name = `${book} ${database.rows} `;
        return [name, () => measureOperations(servers[at]!, database[book])] as const;
      }),
    );
    const samples = await measureInTurns(Object.fromEntries(targets));
    const sizes = databases.map(({ rows }) => rows);
    const lines = measuredBooks.flatMap((book) =>
      (Object.keys(operations) as OperationName[]).map((operation) => {
        const names = sizes.map((rows) => `${book} ${rows} ${operation}`);
        return {
          book,
          operation,
          rowsOfBook: databases.map((database) => database[book].rows),
          ms: names.map((name) => median(samples.of(name))),
          growth: samples.times('', names.at(-1)!, names[0]!).value,
        };
      }),
    );
    return { sizes, lines };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** The operations that read or write as many rows in a book of any size. */
const bounded: readonly OperationName[] = ['first', 'last', 'insert'];

function figuresOf({ sizes, lines }: Growth): Figure[] {
  const times = (values: readonly number[]): string =>
    Math.round(values.at(-1)! / values[0]!).toLocaleString('en');
  return lines.map(({ book, operation, rowsOfBook, growth }) => {
    const grown = book === 'same' ? `database ${times(sizes)}` : `book ${times(rowsOfBook)}`;
    const name = `${operations[operation].what}, the ${grown} times as large`;
    const atMost = book === 'same' || bounded.includes(operation) ? 2 : undefined;
    return { name, value: growth, unit: 'times', atMost };
  });
}
