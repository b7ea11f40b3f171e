import type { TransactionQuery } from '../filter.ts';
import type { Counting } from '../sides.ts';

/** The orders of a list; a minus means the largest or the newest first. */
export const selectionSorts = ['-date', 'date', '-amount', 'amount', 'payee', '-payee'] as const;

/**
 * A validated request for transactions by any filters: those of a list, and more. A row must match every filter.
 *
 * Of several ids a row must have one; 0 means none, and a group of categories means its members. `tag_ids` has no 0
 * together with other ids.
 */
export interface Selection extends TransactionQuery {
  /** Folded words, each of which must be in the payee or in the notes. */
  readonly words: readonly string[];
  readonly payee?: string;
  /** Ten-thousandths, of the amount without its sign, inclusive. */
  readonly min_amount?: number;
  readonly max_amount?: number;
  readonly category_ids?: readonly number[];
  readonly tag_ids?: readonly number[];
  readonly manual_account_ids?: readonly number[];
  readonly plaid_account_ids?: readonly number[];
  readonly import_id?: number;
  readonly is_split_part?: boolean;
  /** Only rows that count so. A plain list must show them: no pending ones, and no parents of splits. */
  readonly counts_as?: Counting;
  readonly sort: (typeof selectionSorts)[number];
}

/** Whether a list is in the order of amounts, not of dates. */
export function isByAmount({ sort }: Selection): boolean {
  return sort === 'amount' || sort === '-amount';
}

/** Whether a list is in the order of payees, as search compares them. */
export function isByPayee({ sort }: Selection): boolean {
  return sort === 'payee' || sort === '-payee';
}

/** Filters of a selection that a plain list does not have at all. */
const wideFilters = [
  ...(['payee', 'min_amount', 'max_amount', 'import_id', 'is_split_part', 'counts_as'] as const),
] as const;
const lists = ['category_id', 'tag_id', 'manual_account_id', 'plaid_account_id'] as const;

/** Returns the query of a plain list that selects the same, in the same order; null if there is none. */
export function plainQuery(selection: Selection): TransactionQuery | null {
  if (selection.words.length > 0 || selection.sort !== '-date') return null;
  if (wideFilters.some((name) => selection[name] !== undefined)) return null;
  const ids: Partial<Record<(typeof lists)[number], number>> = {};
  for (const name of lists) {
    const [id, ...others] = selection[`${name}s`] ?? [];
    if (others.length > 0 || (name === 'tag_id' && id === 0)) return null;
    if (id !== undefined) ids[name] = id;
  }
  const own = [
    ...wideFilters,
    ...lists.map((name) => `${name}s` as const),
    'words',
    'sort',
  ] as const;
  return { ...without(selection, own), ...ids };
}

/**
 * Returns selections of different rows that together select the same. With pending rows these are the rows that a plain
 * list shows, which indexes and sums have, and the pending ones, which are few and have an index of their own.
 */
export function partsOf(selection: Selection): Selection[] {
  const { include_pending, is_pending, include_split_parents, include_group_children } = selection;
  if (!include_pending || is_pending !== undefined) return [selection];
  if (include_split_parents || include_group_children) return [selection];
  const plain = { ...selection, include_pending: false };
  return [plain, { ...plain, is_pending: true }];
}

/** Returns the same selection with a list of tags instead of one. */
export function withTagList({ tag_id, ...selection }: Selection): Selection {
  return tag_id === undefined ? selection : { ...selection, tag_ids: [tag_id] };
}

/** Returns an object without some of its keys. */
export function without<T extends object, K extends keyof T & string>(
  object: T,
  names: readonly K[],
): Omit<T, K> {
  const entries = Object.entries(object).filter(([name]) => !names.includes(name as K));
  return Object.fromEntries(entries) as Omit<T, K>;
}
