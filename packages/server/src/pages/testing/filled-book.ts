import type { Engine } from '../../db/engine.ts';
import type { DemoBook } from '../../demo/book/demo-book.ts';
import { fillDemo } from '../../demo/fill.ts';
import { exportBook } from '../../exports/lists/export.ts';
import {
  exportedTransactions,
  type ExportedTransaction,
} from '../../exports/lists/testing/exported.ts';
import type { Book } from '../../operations/caller.ts';
import type { TransactionQuery } from '../filter.ts';

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

export async function fill(engine: Engine, book: Book, demo: DemoBook): Promise<Filled> {
  await fillDemo(engine, book.id, demo);
  const exported = await exportBook(engine, book.id);
  const idsOf = (records: readonly { id?: unknown }[]): number[] =>
    records.map(({ id }) => id as number);
  const transactions = (await exportedTransactions(exported)).map(({ id }) => id);
  const { manualAccounts, plaidAccounts, categories, tags } = exported;
  const [manual, plaid] = [idsOf(manualAccounts), idsOf(plaidAccounts)];
  const ids = { transactions, manual, plaid, categories: idsOf(categories), tags: idsOf(tags) };
  return { book, demo, ids };
}

/** Replaces the indexes of a query with the ids of the filled book. */
export function withIds(filled: Filled, query: TransactionQuery): TransactionQuery {
  const { manual, plaid, categories, tags, transactions } = filled.ids;
  const lists = {
    manual_account_id: manual,
    plaid_account_id: plaid,
    recurring_id: [],
    category_id: categories,
    tag_id: tags,
    group_parent_id: transactions,
  };
  const changed = { ...query };
  for (const [name, ids] of Object.entries(lists) as [keyof typeof lists, number[]][]) {
    const index = query[name];
    if (index !== undefined) changed[name] = index === -1 ? 0 : (ids[index] ?? unknownId);
  }
  return changed;
}

export async function exported(
  engine: Engine,
  book: Pick<Book, 'id'>,
): Promise<ExportedTransaction[]> {
  return exportedTransactions(await exportBook(engine, book.id));
}
