import sql, { join } from 'sql-template-tag';
import { padded } from '../../db/blocks.ts';
import { joined, rows } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { derivedVersion } from '../../db/fill-derived.ts';
import { rowsAs } from '../../db/rows.ts';
import { integer } from '../../db/table.ts';
import { filterName } from '../filter.ts';
import { element, listTransactions } from '../pages.ts';
import type { TransactionPage } from '../query.ts';
import type { RememberedKeys } from '../remembered-keys.ts';
import { orderOf } from './conditions.ts';
import type { SelectionKey } from './conditions.ts';
import { selectMatches } from './matches.ts';
import { plainQuery, withTagList } from './query.ts';
import type { Selection } from './query.ts';
import { monthTotals } from './totals.ts';
import type { MonthTotal } from './totals.ts';

const nothing = Buffer.alloc(0);

/** A page of selected transactions, and the number of all of them. */
export interface SelectionPage extends TransactionPage {
  readonly total: number;
}

/**
 * Returns a page of the selected transactions of a book.
 *
 * Throws a DerivedOutdatedError, as {@link selectedMonths} does.
 */
export function* listSelection(
  bookId: number,
  selection: Selection,
  remembered: RememberedKeys,
): Steps<SelectionPage> {
  const categories = yield* categoriesOf(bookId, selection);
  const months = yield* monthTotals(bookId, selection, categories, remembered);
  const total = months.reduce((sum, { count }) => sum + count, 0);
  const plain = plainQuery(selection);
  const page =
    plain !== null
      ? yield* listTransactions(bookId, plain, remembered)
      : yield* selectedPage(bookId, selection, categories, remembered);
  return { ...page, total };
}

/** Returns the months that have selected transactions, with their totals, newest first. */
export function* selectedMonths(
  bookId: number,
  selection: Selection,
  remembered: RememberedKeys,
): Steps<readonly MonthTotal[]> {
  const categories = yield* categoriesOf(bookId, selection);
  return yield* monthTotals(bookId, selection, categories, remembered);
}

function* selectedPage(
  bookId: number,
  selection: Selection,
  categories: readonly number[] | null,
  remembered: RememberedKeys,
): Steps<TransactionPage> {
  const { limit, offset } = selection;
  const list = `${bookId} ${yield* derivedVersion(bookId)} ${filterName(selection)}`;
  const after = remembered.find(list, offset);
  const isWhole = selection.sort.endsWith('amount');
  const columns = isWhole ? 'date, id, amount' : 'date, id';
  const matches = yield* selectMatches(bookId, withTagList(selection), {
    categories,
    after,
    columns,
    isWhole,
  });
  const keys = yield* rows<SelectionKey>(
    sql`${matches} ORDER BY ${orderOf(selection)} LIMIT ${limit + 1} OFFSET ${after === null ? offset : 0}`,
  );
  const page = keys.slice(0, limit);
  if (page.length === limit) remembered.remember(list, offset + limit, page.at(-1)!);
  const ids = page.map(({ id }) => id);
  return { json: yield* elementsOf(bookId, ids, selection), hasMore: keys.length > limit };
}

/** Returns the JSON of transactions in the order of the ids, with commas between them. */
function* elementsOf(
  bookId: number,
  ids: readonly number[],
  included: Parameters<typeof element>[0],
): Steps<Buffer> {
  if (ids.length === 0) return nothing;
  // Few lengths need few prepared statements.
  const wanted = padded(ids, 0).map(
    (id, place) => sql`(CAST(${place} AS BIGINT), CAST(${id} AS BIGINT))`,
  );
  return yield* joined(sql`
    WITH wanted (place, id) AS (VALUES ${join(wanted)})
    SELECT (SELECT ${element(included)} FROM transactions t WHERE t.book_id = ${bookId} AND t.id = w.id) AS json
    FROM wanted w WHERE w.place < ${ids.length} ORDER BY w.place`);
}

/** Returns the categories of a filter, with the members of groups; 0 is none. Null without a filter. */
function* categoriesOf(
  bookId: number,
  { category_id, category_ids }: Selection,
): Steps<readonly number[] | null> {
  const ids = category_ids ?? (category_id === undefined ? null : [category_id]);
  if (ids === null) return null;
  const members = yield* rowsAs(
    { id: integer },
    sql`SELECT id FROM categories WHERE book_id = ${bookId} AND group_id IN (${join(padded(ids, ids[0]!))})
      ORDER BY id`,
  );
  return [...new Set([...ids, ...members.map(({ id }) => id)])];
}
