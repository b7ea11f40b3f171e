import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../../core/src/testing/length.ts';
import { changedSince, EarlierRows } from '../../../book/as-of.ts';
import type { Engine, Steps } from '../../../db/engine.ts';
import { select } from '../../../db/rows.ts';
import type { BookTable, Values } from '../../../db/table.ts';
import {
  bookTables,
  categories,
  manualAccounts,
  plaidAccounts,
  tags,
} from '../../../db/tables/tables.ts';
import { usualEngines } from '../../../db/testing/engines.ts';
import { exportBook } from '../../../exports/lists/export.ts';
import { exportedTransactions } from '../../../exports/lists/testing/exported.ts';
import { RandomBook } from '../../../history/undo/testing/random-book.ts';
import { firstWrites, stepsArbitrary } from '../../../history/undo/testing/random-writes.ts';
import type { TransactionPage, TransactionQuery } from '../../../pages/filter.ts';
import { getTransaction, listTransactions } from '../../../pages/pages.ts';
import { RememberedKeys } from '../../../pages/remembered-keys.ts';
import { queryArbitrary } from '../../../pages/testing/page-model.ts';
import { getEarlier, listEarlier } from './earlier-list.ts';

/** A book as it is at a version: the rows of its tables without secrets, and lists in pages. */
interface Kept {
  readonly version: number;
  readonly rows: ReadonlyMap<string, readonly Values[]>;
  readonly lists: readonly string[];
  /** Some transactions on their own, by id. */
  readonly singles: ReadonlyMap<number, string | undefined>;
  readonly exported: unknown;
}

const everything: TransactionQuery = {
  limit: 10,
  offset: 0,
  include_pending: true,
  include_split_parents: true,
  include_group_children: true,
  include_children: true,
  include_metadata: true,
  include_files: true,
};

/** Queries are of 2024, and the book is of 2026. */
function inTwoYears(query: TransactionQuery): TransactionQuery {
  const shifted = (text: string) =>
    text.replace(/^202\d/, (year) => String(Number(year) + 2)).replace('-02-29', '-02-28');
  const dates = Object.entries(query).filter(([name]) => /_(date|since)$/.test(name));
  return {
    ...query,
    ...Object.fromEntries(dates.map(([name, at]) => [name, shifted(String(at))])),
  };
}

/** The last step: a change of files alone. */
const attach = firstWrites.find(({ kind }) => kind === 'attachFileToTransaction')!;

for (const { name, skip, open } of usualEngines) {
  describe(`an earlier version on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
    });

    it('has the rows and the lists, byte for byte, that the book had then', async () => {
      const queries = fc
        .array(queryArbitrary, { minLength: 3, maxLength: 3 })
        .map((random) => [
          everything,
          { ...everything, category_id: 0 },
          ...random.map(inTwoYears),
        ]);
      await fc.assert(
        fc.asyncProperty(stepsArbitrary(12), queries, async (steps, queries) => {
          const book = await RandomBook.open(engine);
          const kept = [await keep(engine, book, queries)];
          for (const write of firstWrites) await book.take(write);
          for (const step of [...steps, attach]) {
            await book.take(step);
            if ((await book.version()) > kept.at(-1)!.version)
              kept.push(await keep(engine, book, queries));
          }
          const current = await book.version();
          const remembered = new RememberedKeys(50);
          for (const [, rows] of await rowsAt(book, 1)) assert.deepEqual(rows, []);
          for (const { version, rows, lists, singles, exported } of kept.toReversed()) {
            const list = (query: TransactionQuery) =>
              listEarlier(book.id, query, { version, current }, remembered);
            const found = await walkAll(book, queries, list);
            assert.deepEqual(found, lists);
            assert.deepEqual(await rowsAt(book, version), rows);
            assert.deepEqual(await readExport(engine, book.id, String(version)), exported);
            const single = (id: number) => getEarlier(book.id, id, { version, current });
            assert.deepEqual(await readSingles(book, [...singles.keys()], single), singles);
          }
        }),
        { endOnFailure: true, numRuns: runs(name === 'SQLite' ? 30 : 8) },
      );
    });
  });
}

async function keep(
  engine: Engine,
  book: RandomBook,
  queries: readonly TransactionQuery[],
): Promise<Kept> {
  const rows = new Map<string, readonly Values[]>();
  for (const table of bookTables) {
    const found = await book.read(() => select<BookTable>(table, { book_id: book.id }));
    rows.set(table.name, shown(table, found));
  }
  const none = new RememberedKeys(0);
  const lists = await walkAll(book, queries, (query) => listTransactions(book.id, query, none));
  const ids = (rows.get('transactions') ?? []).map(({ id }) => id as number);
  const singles = await readSingles(book, ids.slice(-5), (id) => getTransaction(book.id, id));
  const exported = await readExport(engine, book.id);
  return { version: await book.version(), rows, lists, singles, exported };
}

/** Reads a whole export. Its book is always the present one. */
async function readExport(engine: Engine, bookId: number, asOf?: string): Promise<unknown> {
  const whole = await exportBook(engine, bookId, asOf === undefined ? {} : { asOf });
  return { ...whole, book: null, transactions: await exportedTransactions(whole) };
}

async function readSingles(
  book: RandomBook,
  ids: readonly number[],
  get: (id: number) => Steps<Buffer | null>,
): Promise<Map<number, string | undefined>> {
  const found = new Map<number, string | undefined>();
  for (const id of ids) found.set(id, (await book.read(() => get(id)))?.toString());
  return found;
}

/** Rebuilds all rows of a version, by table. */
async function rowsAt(book: RandomBook, version: number): Promise<Kept['rows']> {
  return book.read(function* () {
    const all = new Map<string, readonly Values[]>();
    for (const [table, changed] of yield* changedSince(book.id, version, bookTables)) {
      const rows = yield* new EarlierRows(table, book.id, version, changed).all();
      all.set(table.name, shown(table, rows));
    }
    return all;
  });
}

function shown(table: BookTable, rows: readonly Values[]): Values[] {
  const isShown = (column: string): boolean => table.columns[column]?.placeholder === undefined;
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row)
        .filter(([column]) => isShown(column))
        .toSorted(),
    ),
  );
}

async function walkAll(
  book: RandomBook,
  queries: readonly TransactionQuery[],
  list: (query: TransactionQuery) => Steps<TransactionPage>,
): Promise<string[]> {
  const texts: string[] = [];
  for (const query of queries) {
    const wanted = await withIds(book, query);
    let text = '';
    for (let { offset } = query; ; offset += wanted.limit) {
      const page = await book.read(() => list({ ...wanted, offset }));
      text += `${page.json.toString()}|`;
      if (!page.hasMore) break;
    }
    texts.push(text);
  }
  return texts;
}

const idColumns = {
  manual_account_id: manualAccounts,
  plaid_account_id: plaidAccounts,
  category_id: categories,
  tag_id: tags,
};

/** Replaces the indexes of a query with ids: -1 is none. Ids ascend, so they are the same at every version. */
async function withIds(book: RandomBook, query: TransactionQuery): Promise<TransactionQuery> {
  const given: Record<string, number> = {};
  for (const [column, table] of Object.entries(idColumns)) {
    const index = query[column as 'tag_id'];
    if (index !== undefined) given[column] = await idAt(book, table, index);
  }
  // Fewer pages than in tests of pages, because each is read at many versions.
  return { ...query, ...given, limit: query.limit + 4 };
}

const firstIds = new WeakMap<RandomBook, Map<string, number>>();

async function idAt(book: RandomBook, table: BookTable, index: number): Promise<number> {
  const known = firstIds.get(book) ?? new Map<string, number>();
  firstIds.set(book, known);
  if (!known.has(table.name)) {
    const [first] = await book.read(() => select<BookTable>(table, { book_id: book.id }));
    known.set(table.name, first!['id'] as number);
  }
  return index === -1 ? 0 : known.get(table.name)! + index;
}
