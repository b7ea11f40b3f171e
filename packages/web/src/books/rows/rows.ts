import type { Transaction } from '../types.ts';

/** A part of a long list of rows of one height. */
export interface WindowOptions {
  readonly rowCount: number;
  /** Pixels. */
  readonly rowHeight: number;
  /** Pixels between the top of the list and the top of the visible part. */
  readonly scrollTop: number;
  /** Pixels of the visible part. */
  readonly height: number;
  /** Rows that are rendered above and below the visible part. */
  readonly overscan: number;
}

/** Rows from `first` up to and without `end`. */
export interface RowRange {
  readonly first: number;
  readonly end: number;
}

/** Returns the rows to render: those that are visible, and some around them. */
export function rowsInWindow(options: WindowOptions): RowRange {
  const { rowCount, rowHeight, scrollTop, height, overscan } = options;
  const first = Math.floor(scrollTop / rowHeight) - overscan;
  const end = Math.ceil((scrollTop + height) / rowHeight) + overscan;
  return {
    first: Math.min(Math.max(first, 0), rowCount),
    end: Math.max(Math.min(end, rowCount), 0),
  };
}

/** Lines below a row that are no rows of the list, such as the members of a group. */
export interface Unfolded {
  readonly row: number;
  readonly count: number;
}

/** Nothing is unfolded. */
export const folded: Unfolded = { row: 0, count: 0 };

/** Returns the place of a row among all lines. */
export function lineOf(row: number, { row: above, count }: Unfolded): number {
  return row > above ? row + count : row;
}

/** Returns the rows among some lines. The unfolded row is one of them when one of its lines is. */
export function rowsAmong({ first, end }: RowRange, { row, count }: Unfolded): RowRange {
  return {
    first: first > row ? Math.max(row, first - count) : first,
    end: end > row ? Math.max(row + 1, end - count) : end,
  };
}

/** Returns the pages that hold the rows, by number from 0. */
export function pagesOf({ first, end }: RowRange, pageSize: number): number[] {
  const pages: number[] = [];
  if (end <= first) return pages;
  const last = Math.floor((end - 1) / pageSize);
  for (let page = Math.floor(first / pageSize); page <= last; page += 1) pages.push(page);
  return pages;
}

/** Most pixels that browsers lay out in one element without trouble. Taller lists are scaled. */
const mostPixels = 15_000_000;

/** How a list whose rows are higher than a browser can lay out is scaled. */
export interface Scale {
  /** Pixels of the element that scrolls. */
  readonly height: number;
  /** Pixels of rows for one pixel of the scroll bar. */
  readonly factor: number;
}

/** Returns the height of the scrolled element, and the pixels of rows for one of its own. */
export function scaleOf(rowCount: number, rowHeight: number, viewHeight: number): Scale {
  const height = rowCount * rowHeight;
  if (height <= mostPixels) return { height, factor: 1 };
  return { height: mostPixels, factor: (height - viewHeight) / (mostPixels - viewHeight) };
}

/** Returns where to scroll so that a row is visible; the same place when it is. */
export function scrollToRow(row: number, options: WindowOptions): number {
  const { rowHeight, scrollTop, height } = options;
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + height) return top + rowHeight - height;
  return scrollTop;
}

/** The members of a transaction that an edit changes at once on the screen. */
export type EditableRow = Pick<Transaction, 'id'>;

/** A page of a list as the cache has it. */
export interface PageOf<Row> {
  readonly transactions: readonly Row[];
}

/** Returns the page with new values in the rows with these ids; the same page when it has none of them. */
export function withValues<Row extends EditableRow, Page extends PageOf<Row>>(
  page: Page,
  values: ReadonlyMap<number, Partial<Row>>,
): Page {
  if (!page.transactions.some(({ id }) => values.has(id))) return page;
  const transactions = page.transactions.map((row) => {
    const own = values.get(row.id);
    return own === undefined ? row : { ...row, ...own };
  });
  return { ...page, transactions };
}

/** Returns the tags with one more, or without it if it was there. */
export function toggled(ids: readonly number[], id: number): number[] {
  return ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id];
}

/** How a transaction belongs to others. */
type Belonging = Pick<
  Transaction,
  'is_split_parent' | 'split_parent_id' | 'is_group_parent' | 'group_parent_id'
>;

/** Whether a transaction is neither split nor grouped: only then it can be deleted, split or grouped. */
export function isSingle(row: Belonging): boolean {
  const isPart = row.split_parent_id !== null || row.group_parent_id !== null;
  return !isPart && !row.is_split_parent && !row.is_group_parent;
}

/** A month with its transactions in a list, newest first. */
export interface MonthCount {
  readonly month: string;
  readonly count: number;
}

/** Returns the row at which a month begins in a list that is sorted by date. */
export function firstRowOf(months: readonly MonthCount[], month: string): number {
  const at = months.findIndex((each) => each.month <= month);
  const before = at === -1 ? months : months.slice(0, at);
  return before.reduce((rows, { count }) => rows + count, 0);
}

/** Returns the month of a row in a list that is sorted by date; null when the list is empty. */
export function monthOfRow(months: readonly MonthCount[], row: number): string | null {
  let rows = 0;
  for (const { month, count } of months) {
    rows += count;
    if (row < rows) return month;
  }
  return months.at(-1)?.month ?? null;
}

/** The account of a record as a key: `manual:1` or `plaid:1`; empty for none. */
export function accountOf(
  record: Pick<Transaction, 'manual_account_id' | 'plaid_account_id'>,
): string {
  if (record.manual_account_id !== null) return `manual:${record.manual_account_id}`;
  return record.plaid_account_id === null ? '' : `plaid:${record.plaid_account_id}`;
}

/** The account with a key such as `manual:1`, as requests have it; nothing for an empty key. */
export function accountIdIn(
  key: string,
): Partial<Record<'manual_account_id' | 'plaid_account_id', number>> {
  const [kind, id] = key.split(':');
  return id === undefined ? {} : { [`${kind}_account_id`]: Number(id) };
}
