import { changedSince, EarlierRows } from '../../../book/as-of.ts';
import type { Steps } from '../../../db/engine.ts';
import type { BookTable, Row } from '../../../db/table.ts';
import { categories, transactionFiles, transactions } from '../../../db/tables/tables.ts';
import { matcher, type TransactionQuery, type RowKey } from '../../../pages/filter.ts';
import { placeOf } from '../../../book/changed-ids.ts';

const names = [
  'id',
  'book_id',
  'date',
  'category_id',
  'manual_account_id',
  'plaid_account_id',
  'tag_ids',
  'status',
  'is_pending',
  'is_split_parent',
  'split_parent_id',
  'is_group_parent',
  'group_parent_id',
  'recurring_id',
  'created_at',
  'updated_at',
];

/** Only the columns that filters compare, which are small. */
const filtered: BookTable = {
  ...transactions,
  columns: Object.fromEntries(
    Object.entries(transactions.columns).filter(([name]) => names.includes(name)),
  ),
};

/** A query for a single row. */
export const wholeRow: TransactionQuery = {
  limit: 1,
  offset: 0,
  include_pending: true,
  include_split_parents: true,
  include_group_children: true,
  include_metadata: true,
  include_files: true,
  include_children: true,
};

/** Rows that are rebuilt at once. */
const blockSize = 1000;

/** What was changed in a book since a version, as far as lists of transactions show it. */
export interface EarlierBook {
  readonly bookId: number;
  readonly version: number;
  readonly transactions: EarlierRows<typeof transactions>;
  readonly files: EarlierRows<typeof transactionFiles>;
  readonly categories: EarlierRows<typeof categories>;
}

/** Reads what was changed in a book since a version. The log must have every change after it. */
export function* openEarlier(bookId: number, version: number): Steps<EarlierBook> {
  const tables: readonly BookTable[] = [transactions, transactionFiles, categories];
  const changed = yield* changedSince(bookId, version, tables);
  const rowsOf = <T extends BookTable>(table: T): EarlierRows<T> =>
    new EarlierRows(table, bookId, version, changed.get(table)!);
  return {
    bookId,
    version,
    transactions: rowsOf(transactions),
    files: rowsOf(transactionFiles),
    categories: rowsOf(categories),
  };
}

/** Transactions that were changed since a version, as they were. */
export interface RebuiltRows {
  /** Those that a query lists. */
  readonly keys: EarlierKeys;
  /** The ids of all that had parents, after each the id of a parent. */
  readonly children: readonly number[];
}

/** Rebuilds all transactions that were changed since, in blocks, and keeps the keys of those that a query lists. */
export function* rebuildRows(
  { transactions: rows }: EarlierBook,
  query: TransactionQuery,
  categoryIds: readonly number[] | null,
): Steps<RebuiltRows> {
  const matches = matcher(query, categoryIds);
  const { existing } = rows.changed;
  const keys = new EarlierKeys(existing.length);
  const children: number[] = [];
  for (let at = 0; at < existing.length; at += blockSize)
    for (const row of yield* rows.withIds([...existing.subarray(at, at + blockSize)], filtered)) {
      noteParents(children, row);
      if (matches(row)) keys.add(row);
    }
  keys.sort();
  return { keys, children };
}

function noteParents(
  children: number[],
  { id, split_parent_id: split, group_parent_id: group }: Row<typeof transactions>,
): void {
  if (split !== null) children.push(id, split);
  if (group !== null && group !== split) children.push(id, group);
}

/** Keys of transactions in the order of a list, newest first, in twelve bytes each. */
class EarlierKeys {
  #days: Int32Array;
  #ids: Float64Array;
  #length = 0;

  /** `most` is the largest number of keys. */
  constructor(most: number) {
    this.#days = new Int32Array(most);
    this.#ids = new Float64Array(most);
  }

  get length(): number {
    return this.#length;
  }

  add({ date, id }: RowKey): void {
    this.#days[this.#length] = dayOf(date);
    this.#ids[this.#length] = id;
    this.#length += 1;
  }

  /** Sorts the keys. Called once, after the last was added. */
  sort(): void {
    const [days, ids] = [this.#days, this.#ids];
    const places = Uint32Array.from({ length: this.#length }, (_, at) => at);
    places.sort((a, b) => days[b]! - days[a]! || ids[b]! - ids[a]!);
    this.#days = Int32Array.from(places, (at) => days[at]!);
    this.#ids = Float64Array.from(places, (at) => ids[at]!);
  }

  /** Returns the key at a place; undefined past the end. */
  at(place: number): RowKey | undefined {
    if (place >= this.#length) return undefined;
    const digits = String(this.#days[place]).padStart(8, '0');
    const date = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
    return { date, id: this.#ids[place]! };
  }

  /** Returns the place of the first key after another one. */
  placeAfter({ date, id }: RowKey): number {
    const day = dayOf(date);
    const [days, ids] = [this.#days, this.#ids];
    return placeOf(this.#length, (at) => days[at]! > day || (days[at] === day && ids[at]! >= id));
  }
}

/** A date as a number that sorts like it: 20240229. */
function dayOf(date: string): number {
  return Number(date.replaceAll('-', ''));
}

/** Whether a key comes before another one in a list. */
export function isBefore(one: RowKey, other: RowKey): boolean {
  return one.date === other.date ? one.id > other.id : one.date > other.date;
}
