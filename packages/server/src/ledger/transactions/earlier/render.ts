import sql, { join, type Sql } from 'sql-template-tag';
import { blocksOf, padded } from '../../../db/blocks.ts';
import { dialectOf, rows, type Steps } from '../../../db/engine.ts';
import { rowsAs, select, toDatabase } from '../../../db/rows.ts';
import { integer, type Row, type Values } from '../../../db/table.ts';
import { transactionFiles, transactions } from '../../../db/tables/tables.ts';
import { element, type Included } from '../../../pages/pages.ts';
import type { EarlierBook } from './earlier-book.ts';

type TransactionRow = Row<typeof transactions>;

/** Rows that are rendered at once, without their children. */
const blockSize = 200;
const source = { transactions: 'earlier_transactions', files: 'earlier_files' };

/**
 * Returns the JSON of transactions as they were, with commas between them, in the order of the ids. All must have
 * existed. `children` are the ids of changed rows that had parents, after each the id of a parent.
 */
export function* renderEarlier(
  book: EarlierBook,
  ids: readonly number[],
  included: Included,
  children: readonly number[],
): Steps<Buffer> {
  const rebuilt = new Set(yield* rebuiltAmong(book, ids, included));
  const texts = new Map<number, string>();
  const note = (found: readonly { id: number; json: string }[]): void => {
    for (const { id, json } of found) texts.set(id, json);
  };
  for (const block of blocksOf(ids.filter((id) => !rebuilt.has(id))))
    note(
      yield* rows(sql`SELECT t.id AS id, ${element(included)} AS json FROM transactions t
      WHERE t.book_id = ${book.bookId} AND t.id IN (${join(padded(block, 0))})`),
    );
  const others = [...rebuilt];
  for (let at = 0; at < others.length; at += blockSize)
    note(yield* renderRebuilt(book, others.slice(at, at + blockSize), included, children));
  return Buffer.from(ids.map((id) => texts.get(id)!).join(','));
}

/** Returns the ids of rows that are not as they were, or may have other children or files. */
function* rebuiltAmong(
  { bookId, transactions: { changed }, files }: EarlierBook,
  ids: readonly number[],
  { include_children, include_files }: Included,
): Steps<number[]> {
  if (include_files && !files.changed.isEmpty) return [...ids];
  const found = ids.filter((id) => changed.has(id));
  if (!include_children) return found;
  for (const block of blocksOf(ids.filter((id) => !changed.has(id)))) {
    const parents = yield* rowsAs(
      { id: integer },
      sql`SELECT id FROM transactions WHERE book_id = ${bookId} AND id IN (${join(padded(block, 0))})
        AND (is_split_parent = 1 OR is_group_parent = 1)`,
    );
    found.push(...parents.map(({ id }) => id));
  }
  return found;
}

function* renderRebuilt(
  book: EarlierBook,
  ids: readonly number[],
  included: Included,
  children: readonly number[],
): Steps<{ id: number; json: string }[]> {
  const own = yield* book.transactions.withIds(ids);
  const all = included.include_children ? yield* withChildren(book, own, children) : own;
  const files = included.include_files ? yield* filesOf(book, all) : [];
  return yield* rows(sql`${yield* withEarlier(all, files)}
    SELECT t.id AS id, ${element(included, source)} AS json FROM earlier_transactions t
    WHERE t.id IN (${join(padded(ids, 0))})`);
}

/** Returns a WITH clause that defines `earlier_transactions`, like the table, and `earlier_files` with given rows. */
export function* withEarlier(
  all: readonly TransactionRow[],
  files: readonly Row<typeof transactionFiles>[] = [],
): Steps<Sql> {
  const { rowsOfJson, transactionJson } = yield* dialectOf();
  return sql`WITH given_transactions AS MATERIALIZED (${rowsOfJson(jsonOf(all), transactions.columns)}),
    earlier_files AS MATERIALIZED (${rowsOfJson(jsonOf(files), transactionFiles.columns)}),
    earlier_transactions AS MATERIALIZED (
      SELECT g.*, ${transactionJson} AS json FROM given_transactions g)`;
}

function jsonOf(all: readonly Values[]): string {
  return JSON.stringify(all, (_, value: unknown) => toDatabase(value));
}

/** Returns rows with the parts and members that they had. */
function* withChildren(
  { bookId, transactions: rows }: EarlierBook,
  own: readonly TransactionRow[],
  children: readonly number[],
): Steps<TransactionRow[]> {
  const parents = own.filter((row) => row.is_split_parent || row.is_group_parent);
  const parentIds = new Set(parents.map(({ id }) => id));
  const childIds = new Set<number>();
  for (let at = 0; at < children.length; at += 2)
    if (parentIds.has(children[at + 1]!)) childIds.add(children[at]!);
  for (const block of blocksOf([...parentIds])) {
    const among = join(padded(block, 0));
    const present = yield* rowsAs(
      { id: integer },
      sql`SELECT id FROM transactions WHERE book_id = ${bookId} AND group_parent_id IN (${among})
        UNION ALL SELECT id FROM transactions WHERE book_id = ${bookId} AND split_parent_id IN (${among})`,
    );
    for (const { id } of present) if (!rows.changed.has(id)) childIds.add(id);
  }
  for (const { id } of own) childIds.delete(id);
  return [...own, ...(yield* rows.withIds([...childIds]))];
}

/** Returns the files that rows had. */
function* filesOf(
  { bookId, files }: EarlierBook,
  all: readonly TransactionRow[],
): Steps<Row<typeof transactionFiles>[]> {
  const ids = new Set(all.map(({ id }) => id));
  const found = yield* files.withIds([...files.changed.existing]);
  const own = found.filter(({ transaction_id }) => ids.has(transaction_id));
  for (const block of blocksOf([...ids])) {
    const and = sql`transaction_id IN (${join(padded(block, 0))})`;
    const present = yield* select(transactionFiles, { book_id: bookId }, { and });
    own.push(...present.filter(({ id }) => !files.changed.has(id)));
  }
  return own;
}
