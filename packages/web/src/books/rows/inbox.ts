import type { Transaction } from '../types.ts';

/** What an inbox needs to know of a transaction. */
export type InboxRow = Pick<Transaction, 'id' | 'date'>;

/** The transactions that wait for review, as far as they were read, newest first. */
export interface Inbox<Row extends InboxRow> {
  readonly rows: readonly Row[];
  /** Every row that was read, those that have left included. */
  readonly known: ReadonlySet<number>;
  /** The day of the oldest row that was read; null before the first page. */
  readonly oldest: string | null;
  /** Rows to skip from the oldest day on, because a page had nothing new. */
  readonly offset: number;
  readonly hasMore: boolean;
}

/** A page of the list of what waits. */
export interface InboxPage<Row extends InboxRow> {
  readonly transactions: readonly Row[];
  readonly has_more: boolean;
}

/** Where the next page begins, as parameters of the list. */
export interface InboxStep {
  readonly end_date?: string;
  readonly offset: number;
}

/** An inbox before its first page. */
export function newInbox<Row extends InboxRow>(): Inbox<Row> {
  return { rows: [], known: new Set(), oldest: null, offset: 0, hasMore: true };
}

/**
 * Returns where the next page begins: at the oldest day that was read. Rows leave as they are marked, so a count
 * of rows would skip as many as were marked; a day does not move.
 */
export function nextStep<Row extends InboxRow>({ oldest, offset }: Inbox<Row>): InboxStep {
  return oldest === null ? { offset } : { end_date: oldest, offset };
}

/** Adds a page. Rows that were read before are left out, whether they are still there or not. */
export function withPage<Row extends InboxRow>(
  inbox: Inbox<Row>,
  { transactions, has_more: hasMore }: InboxPage<Row>,
): Inbox<Row> {
  const fresh = transactions.filter(({ id }) => !inbox.known.has(id));
  const known = new Set(inbox.known);
  for (const { id } of fresh) known.add(id);
  return {
    rows: [...inbox.rows, ...fresh],
    known,
    oldest: transactions.at(-1)?.date ?? inbox.oldest,
    // A day can have more rows than a page.
    offset: fresh.length > 0 ? 0 : inbox.offset + transactions.length,
    hasMore: hasMore && transactions.length > 0,
  };
}

/** Removes rows that were marked. */
export function withoutRows<Row extends InboxRow>(
  inbox: Inbox<Row>,
  ids: ReadonlySet<number>,
): Inbox<Row> {
  return { ...inbox, rows: inbox.rows.filter(({ id }) => !ids.has(id)) };
}

/** Changes rows in their places. */
export function withRows<Row extends InboxRow>(
  inbox: Inbox<Row>,
  change: (row: Row) => Row,
): Inbox<Row> {
  return { ...inbox, rows: inbox.rows.map(change) };
}

/** How a transaction belongs to others. */
export type Belonging = Pick<
  Transaction,
  'is_split_parent' | 'split_parent_id' | 'is_group_parent' | 'group_parent_id'
>;

/** Whether a transaction can be marked: PUT /v2/transactions refuses parts of splits, and groups. */
export function canBeMarked(row: Belonging): boolean {
  const isPart = row.split_parent_id !== null || row.group_parent_id !== null;
  return !isPart && !row.is_split_parent && !row.is_group_parent;
}
