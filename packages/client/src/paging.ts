import { ArgumentError, EndlessListError, TooManyRowsError } from './errors.ts';
import { quote } from './options.ts';
import type { Transaction } from './shapes.ts';

/** The page size of the service when nothing is said. */
export const defaultLimit = 1000;
/** So many pages without a new row, each of which says that there is more, are a fault of the service. */
const mostIdlePages = 10;

/** Which page. */
export interface Place {
  /** Most rows of the page. */
  readonly limit: number;
  /** Rows that are skipped before the first. */
  readonly offset: number;
}

/** One page, where it stands, and where the next one begins. */
export interface TransactionPage extends Place {
  /** Newest first. */
  readonly transactions: readonly Transaction[];
  /** Whether more transactions match behind this page. */
  readonly has_more: boolean;
  /** Always `offset` plus `limit`, whatever the page holds; null on the last page. */
  readonly next_offset: number | null;
}

/**
 * The page that is asked for; limit 1000 and offset 0 unless given.
 *
 * Throws {@link ArgumentError} when either is no integer, `limit` is below 1 or `offset` below 0: a walk steps by them.
 */
export function placeOf(query: Partial<Place>): Place {
  const { limit = defaultLimit, offset = 0 } = query;
  const problems: string[] = [];
  if (!Number.isSafeInteger(limit) || limit < 1) {
    problems.push(`limit must be an integer from 1 on, not ${quote(limit)}`);
  }
  if (!Number.isSafeInteger(offset) || offset < 0) {
    problems.push(`offset must be an integer from 0 on, not ${quote(offset)}`);
  }
  if (problems.length > 0) throw new ArgumentError(problems);
  return { limit, offset };
}

/**
 * Walks a list, page by page: from `offset` in steps of `limit`, whatever a page holds, for as long as `has_more` is
 * true (the law, 4.3 and 4.4).
 *
 * An empty page with more behind it is passed over. Throws {@link EndlessListError} after ten pages in a row that are
 * empty or have the very rows of the page before.
 */
export async function* walk(
  read: (place: Place) => Promise<TransactionPage>,
  query: Partial<Place>,
): AsyncGenerator<TransactionPage, void, undefined> {
  const first = placeOf(query);
  let idlePages = 0;
  let before = '';
  for (let next: number | null = first.offset; next !== null;) {
    const page: TransactionPage = await read({ ...first, offset: next });
    yield page;
    const ids = page.transactions.map(({ id }) => id).join();
    idlePages = ids === '' || ids === before ? idlePages + 1 : 0;
    before = ids;
    next = page.next_offset;
    if (next !== null && idlePages === mostIdlePages) {
      throw new EndlessListError(idlePages, page.offset);
    }
  }
}

/** All transactions of a walk. Throws {@link TooManyRowsError} as soon as there are more than `max`. */
export async function collect(
  pages: AsyncIterable<TransactionPage>,
  max: number,
): Promise<Transaction[]> {
  const rows: Transaction[] = [];
  for await (const page of pages) {
    for (const row of page.transactions) rows.push(row);
    if (rows.length > max) throw new TooManyRowsError(max);
  }
  return rows;
}
