import { fillDemo } from '../../demo/fill.ts';
import type { Engine } from '../../db/engine.ts';
import type { DemoBook } from '../../demo/demo-book.ts';
import { exportBook } from '../../resources/transactions/export/export.ts';
import type { ExportedTransaction } from '../../resources/transactions/export/export.ts';
import type { Book } from '../../resources/users/identity.ts';
import type { TransactionQuery } from '../query.ts';

const unknownId = 2 ** 40;

/** A generated book in a database, and the ids of its records. */
export interface Filled {
  readonly book: Book;
  readonly demo: DemoBook;
  /** The id of each record, by its index in the generated book. */
  readonly ids: Readonly<
    Record<'transactions' | 'manual' | 'plaid' | 'categories' | 'tags', number[]>
  >;
}

/** Fills an empty book with the records of a generated one. */
export async function fill(engine: Engine, book: Book, demo: DemoBook): Promise<Filled> {
  await fillDemo(engine, book.id, demo);
  const exported = await exportBook(engine, book.id);
  const idsOf = (records: readonly { id?: unknown }[]): number[] =>
    records.map(({ id }) => id as number);
  const transactions = (await Array.fromAsync(exported.transactions)).map(({ id }) => id);
  const { manualAccounts, plaidAccounts, categories, tags } = exported;
  return {
    book,
    demo,
    ids: {
      transactions,
      manual: idsOf(manualAccounts),
      plaid: idsOf(plaidAccounts),
      categories: idsOf(categories),
      tags: idsOf(tags),
    },
  };
}

/** Replaces the indexes of a query with the ids of the filled book. */
export function withIds(filled: Filled, query: TransactionQuery): TransactionQuery {
  const id = (ids: number[], index: number): number =>
    index === -1 ? 0 : (ids[index] ?? unknownId);
  const { ids } = filled;
  return {
    ...query,
    ...(query.manual_account_id !== undefined && {
      manual_account_id: id(ids.manual, query.manual_account_id),
    }),
    ...(query.plaid_account_id !== undefined && {
      plaid_account_id: id(ids.plaid, query.plaid_account_id),
    }),
    ...(query.recurring_id !== undefined && { recurring_id: id([], query.recurring_id) }),
    ...(query.category_id !== undefined && { category_id: id(ids.categories, query.category_id) }),
    ...(query.tag_id !== undefined && { tag_id: id(ids.tags, query.tag_id) }),
    ...(query.group_parent_id !== undefined && {
      group_parent_id: id(ids.transactions, query.group_parent_id),
    }),
  };
}

/** Returns every transaction of a book, ascending by id. */
export async function exported(
  engine: Engine,
  book: Pick<Book, 'id'>,
): Promise<ExportedTransaction[]> {
  return Array.fromAsync((await exportBook(engine, book.id)).transactions);
}
