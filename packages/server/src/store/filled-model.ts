import type { DemoBook } from '../records/demo/demo-book.ts';
import type { Book } from '../records/identity.ts';
import type { Store } from '../records/store.ts';
import type { TransactionQuery } from '../records/transaction-query.ts';

const madeUpId = 2 ** 40;

/** A generated book in a store, and the ids that the store gave. */
export interface Filled {
  readonly book: Book;
  readonly demo: DemoBook;
  /** The id of each record of the demo book, by its index there. */
  readonly ids: Readonly<
    Record<'transactions' | 'manual' | 'plaid' | 'categories' | 'tags', number[]>
  >;
}

/** Fills an empty book with the records of a generated one. */
export async function fill(store: Store, book: Book, demo: DemoBook): Promise<Filled> {
  await store.fillDemo(book.id, demo);
  const exported = await store.exportBook(book.id);
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

/** Turns a query over indexes into one over the ids that the engine gave. */
export function withIds(filled: Filled, query: TransactionQuery): TransactionQuery {
  const id = (ids: number[], index: number): number =>
    index === -1 ? 0 : (ids[index] ?? madeUpId);
  const { ids } = filled;
  return {
    ...query,
    ...(query.manualAccountId !== undefined && {
      manualAccountId: id(ids.manual, query.manualAccountId),
    }),
    ...(query.plaidAccountId !== undefined && {
      plaidAccountId: id(ids.plaid, query.plaidAccountId),
    }),
    ...(query.recurringId !== undefined && { recurringId: id([], query.recurringId) }),
    ...(query.categoryId !== undefined && { categoryId: id(ids.categories, query.categoryId) }),
    ...(query.tagId !== undefined && { tagId: id(ids.tags, query.tagId) }),
  };
}
