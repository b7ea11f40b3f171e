import type { Transaction } from '../types.ts';

/** What an inbox needs to know of a transaction. */
export type InboxRow = Pick<Transaction, 'id' | 'date' | 'status'>;

/** A page of the list of what waits for review, newest first. */
export interface InboxPage<Row extends InboxRow> {
  readonly transactions: readonly Row[];
  readonly has_more: boolean;
}

/** Where a page begins, as parameters of the list. */
export interface InboxStep {
  readonly end_date?: string;
  readonly offset: number;
}

/**
 * Returns where the page after some pages begins: at the oldest day that was read; undefined after the last page. Rows
 * leave as they are marked, so a count of rows would skip as many as were marked; a day does not move.
 */
export function nextStep(
  pages: readonly InboxPage<InboxRow>[],
  { offset }: InboxStep,
): InboxStep | undefined {
  const { transactions = [], has_more: hasMore = false } = pages.at(-1) ?? {};
  const oldest = transactions.at(-1)?.date;
  if (!hasMore || oldest === undefined) return undefined;
  const known = new Set(
    pages.slice(0, -1).flatMap((page) => page.transactions.map(({ id }) => id)),
  );
  const hasNew = transactions.some(({ id }) => !known.has(id));
  // A day can have more rows than a page.
  return { end_date: oldest, offset: hasNew ? 0 : offset + transactions.length };
}

/** Returns the rows of some pages, each once, with those that were marked since. */
export function rowsIn<Row extends InboxRow>(pages: readonly InboxPage<Row>[]): Row[] {
  const rows = pages.flatMap(({ transactions }) => transactions);
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}
