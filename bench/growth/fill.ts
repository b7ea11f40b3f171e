import sql from 'sql-template-tag';
import { rows as rowsOf, type Engine } from '../../packages/server/src/db/engine.ts';
import type { Book } from '../../packages/server/src/operations/caller.ts';
import { openDatabase } from '../../packages/server/src/database.ts';
import { parseDatabase } from '../../packages/server/src/config.ts';
import { sum } from '../measure/processor-time.ts';
import { benchClock, importRows, makeBook, makeToken } from '../measure/workspace.ts';

const bookCount = 100;
const sameRows = 1000;

export interface MeasuredBook {
  readonly token: string;
  readonly rows: number;
  readonly categories: ReadonlyMap<number, number>;
}

export interface FilledDatabase {
  readonly url: string;
  readonly rows: number;
  readonly same: MeasuredBook;
  readonly growing: MeasuredBook;
}

/**
 * Fills a new SQLite database with `rows` transactions in {@link bookCount} books: one of {@link sameRows}, one with a
 * tenth of all, which also has the remainder of the division, and equal ones. `rows` is at least 10,000.
 */
export async function fillDatabase(path: string, rows: number): Promise<FilledDatabase> {
  const url = `sqlite:${path}`;
  const equal = bookCount - 2;
  const ofEqual = Math.floor((rows - sameRows - Math.floor(rows / 10)) / equal);
  const engine = await openDatabase(parseDatabase(url), { now: benchClock });
  let made = 0;
  const fill = async (count: number): Promise<Book> => {
    const book = await makeBook(engine, `bench-${(made += 1)}@example.com`);
    await importRows(engine, book, count);
    return book;
  };
  const same = await measuredBook(engine, await fill(sameRows));
  const growing = await measuredBook(engine, await fill(rows - sameRows - equal * ofEqual));
  for (let each = 0; each < equal; each += 1) await fill(ofEqual);
  await engine.close();
  return { url, rows, same, growing };
}

async function measuredBook(engine: Engine, book: Book): Promise<MeasuredBook> {
  const counted = await engine.read(() =>
    rowsOf<{ category_id: number; listed: number }>(sql`
      SELECT category_id, sum(listed) AS listed FROM transaction_sums WHERE book_id = ${book.id}
      GROUP BY 1 ORDER BY 1`),
  );
  const categories = new Map(counted.map((each) => [each.category_id, each.listed]));
  return { token: await makeToken(engine, book), rows: sum([...categories.values()]), categories };
}
