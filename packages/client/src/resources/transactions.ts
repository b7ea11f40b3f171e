import { quote, type CallOptions } from '../sending/options.ts';
import type { ClientMethods, Transaction } from './openapi-methods.ts';
import { listShape, nothing, recordShape } from './resource.ts';
import type { Call, QueryOf, Schema, Shape } from './resource.ts';
import {
  ArgumentError,
  EndlessListError,
  TooManyRowsError,
  IncompleteError,
} from '../sending/errors.ts';
import { isObject } from '../sending/transport.ts';

type Sent = ClientMethods['transactions'];

/** Methods of transactions. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Transactions extends TransactionLists, TransactionWrites, TransactionAttachments {
  get: Sent['get'];
}

/** The transactions of a client; `sent` are the methods that only send a request. */
export function makeTransactions(call: Call, sent: Sent): Transactions {
  return {
    ...sent,
    ...makeTransactionLists(call),
    ...makeTransactionWrites(call),
    attach: makeAttach(call),
  };
}

/** The filters of a list, and `limit` and `offset`. */
export type TransactionQuery = QueryOf<'getAllTransactions'>;

/** Position of a page. */
export interface Place {
  /** Maximum number of rows on the page. */
  readonly limit: number;
  /** Rows that are skipped before the first. */
  readonly offset: number;
}

/** One page, its position, and where the next one begins. */
export interface TransactionPage extends Place {
  /** Newest first. */
  readonly transactions: readonly Transaction[];
  /** Whether more transactions match after this page. */
  readonly has_more: boolean;
  /** Always `offset` plus `limit`, however many rows the page has; null on the last page. */
  readonly next_offset: number | null;
}

/** How a list becomes an array. */
export interface ArrayOptions extends CallOptions {
  /** Maximum number of transactions in the array: an integer of at least 0. */
  readonly max: number;
}

/** Methods that read many transactions. */
export interface TransactionLists<Query extends TransactionQuery = TransactionQuery> {
  /**
   * Every transaction that matches, one by one, newest first; requests the next page when it is needed.
   *
   * `limit` is the page size (default 1000, at most 2000) and `offset` the number of rows to skip. If the book changes
   * between two pages, a transaction can appear twice or not at all. To avoid this, set `end_date` to a past day.
   */
  list(query?: Query, options?: CallOptions): AsyncGenerator<Transaction, void, undefined>;
  /** Like `list`, page by page. */
  pages(query?: Query, options?: CallOptions): AsyncGenerator<TransactionPage, void, undefined>;
  /** One page. More transactions match unless its `has_more` is false. */
  page(query?: Query, options?: CallOptions): Promise<TransactionPage>;
  /** All matching transactions, as an array. Rejects with TooManyRowsError when there are more than `max`. */
  toArray(query: Query, options: ArrayOptions): Promise<Transaction[]>;
}

/** The page size of the service when `limit` is absent. */
const defaultLimit = 1000;
/** After this many pages in a row with `has_more` and without a new row, a list counts as endless. */
const maxIdlePages = 10;

const transactions = listShape<Transaction>('transactions');

/** The {@link TransactionLists} of a client. */
export function makeTransactionLists<Query extends TransactionQuery = TransactionQuery>(
  call: Call,
): TransactionLists<Query> {
  const page = async (
    query: Partial<TransactionQuery> = {},
    options: CallOptions = {},
  ): Promise<TransactionPage> => {
    const place = placeOf(query);
    return await call(pageShape(place), ['transactions'], {
      ...options,
      query: { ...query, ...place },
    });
  };
  const pages = (query: Partial<TransactionQuery> = {}, options: CallOptions = {}) =>
    walk((place) => page({ ...query, ...place }, options), query);
  return {
    page,
    pages,
    async *list(query, options) {
      for await (const { transactions: rows } of pages(query, options)) yield* rows;
    },
    toArray: async (query, { max, ...options }) => {
      if (!Number.isSafeInteger(max) || max < 0) {
        throw new ArgumentError([`max must be an integer of at least 0, not ${quote(max)}`]);
      }
      // One more than `max` shows that there are too many.
      const limit = query.limit ?? Math.min(defaultLimit, max + 1);
      return await collect(pages({ ...query, limit }, options), max);
    },
  };
}

/** A page of at most `limit` rows: any more would appear again on the next page. */
function pageShape(place: Place): Shape<TransactionPage> {
  return {
    name: `{ transactions, has_more } with at most ${place.limit} transactions`,
    read: (body) => {
      const rows = transactions.read(body);
      const has_more = isObject(body) ? body['has_more'] : null;
      if (rows === null || typeof has_more !== 'boolean' || rows.length > place.limit) return null;
      const next_offset = has_more ? place.offset + place.limit : null;
      return { transactions: rows, has_more, ...place, next_offset };
    },
  };
}

/**
 * The position of a page; default: limit 1000, offset 0.
 *
 * Throws {@link ArgumentError} when either is not an integer, `limit` is below 1 or `offset` is below 0.
 */
function placeOf(query: Partial<Place>): Place {
  const { limit = defaultLimit, offset = 0 } = query;
  const problems: string[] = [];
  if (!Number.isSafeInteger(limit) || limit < 1) {
    problems.push(`limit must be an integer of at least 1, not ${quote(limit)}`);
  }
  if (!Number.isSafeInteger(offset) || offset < 0) {
    problems.push(`offset must be an integer of at least 0, not ${quote(offset)}`);
  }
  if (problems.length > 0) throw new ArgumentError(problems);
  return { limit, offset };
}

/**
 * Walks a list page by page: from `offset` in steps of `limit`, however many rows a page has, as long as `has_more` is
 * true (the specification, 4.3 and 4.4).
 *
 * Continues after an empty page with `has_more`. Throws {@link EndlessListError} after ten pages in a row that
 * are empty or repeat the rows of the previous page.
 */
async function* walk(
  readPage: (place: Place) => Promise<TransactionPage>,
  query: Partial<Place>,
): AsyncGenerator<TransactionPage, void, undefined> {
  const first = placeOf(query);
  let idlePages = 0;
  let before = '';
  for (let next: number | null = first.offset; next !== null;) {
    const page: TransactionPage = await readPage({ ...first, offset: next });
    yield page;
    const ids = page.transactions.map(({ id }) => id).join();
    idlePages = ids === '' || ids === before ? idlePages + 1 : 0;
    before = ids;
    next = page.next_offset;
    if (next !== null && idlePages === maxIdlePages) {
      throw new EndlessListError(idlePages, page.offset);
    }
  }
}

/** All transactions of a walk. Throws {@link TooManyRowsError} as soon as there are more than `max`. */
async function collect(pages: AsyncIterable<TransactionPage>, max: number): Promise<Transaction[]> {
  const rows: Transaction[] = [];
  for await (const page of pages) {
    for (const row of page.transactions) rows.push(row);
    if (rows.length > max) throw new TooManyRowsError(max);
  }
  return rows;
}

/** A new transaction. */
export type TransactionInsert = Schema<'TransactionInsert'>;
/** New values for properties of the transaction with the `id`. */
export type TransactionUpdateWithId = Schema<'TransactionUpdateWithId'>;
/** How transactions are created; all flags are false by default. */
export type TransactionInsertFlags = Omit<Schema<'TransactionsInsert'>, 'transactions'>;
/** The new transactions, and those that were skipped because they exist already. */
export type InsertedTransactions = Schema<'InsertedTransactions'>;
/** A part of a split transaction. */
export type SplitPart = Schema<'SplitPart'>;

/**
 * Methods that write transactions.
 *
 * Those for any number of items send up to 500 in a request, and the requests one after the other. Each request is
 * atomic, the whole call is not: IncompleteError when a request after the first fails. Positions in an ApiError, such
 * as `transaction_index`, count from the first item of the request. Without items they send nothing.
 */
export interface TransactionWrites extends Pick<
  Sent,
  'update' | 'delete' | 'group' | 'ungroup' | 'unsplit'
> {
  /**
   * Creates any number of transactions. ApiError 400: a row is not valid, and no row of its request was created.
   *
   * In `skipped_duplicates`, `request_transactions_index` is the position among all rows.
   */
  create(
    rows: readonly TransactionInsert[],
    flags?: TransactionInsertFlags,
    options?: CallOptions,
  ): Promise<InsertedTransactions>;
  /** Changes any number of transactions, and resolves to the whole records in the order of the rows. */
  updateMany(
    rows: readonly TransactionUpdateWithId[],
    options?: CallOptions,
  ): Promise<readonly Transaction[]>;
  /** Deletes any number of transactions. ApiError 404: one does not exist, and none of its request was deleted. */
  deleteMany(ids: readonly number[], options?: CallOptions): Promise<void>;
  /** Splits a transaction into parts with the same sum, and resolves to it with its `children`. */
  split(id: number, parts: readonly SplitPart[], options?: CallOptions): Promise<Transaction>;
}

const base = 'transactions';
const transaction = recordShape<Transaction>('Transaction');
const skipped = listShape<InsertedTransactions['skipped_duplicates'][number]>(
  'skipped_duplicates',
  isObject,
);
const inserted: Shape<InsertedTransactions> = {
  name: '{ transactions, skipped_duplicates }',
  read: (body) => {
    const [rows, skips] = [transactions.read(body), skipped.read(body)];
    if (rows === null || skips === null) return null;
    return { transactions: [...rows], skipped_duplicates: [...skips] };
  },
};

/** The {@link TransactionWrites} that send more than one request, or another body than they take. */
function makeTransactionWrites(call: Call): Omit<TransactionWrites, keyof Sent> {
  return {
    create: async (rows, flags, options) => {
      const results = await sendParts(rows, async ({ start, items }) => {
        const body = { ...flags, transactions: items };
        const result = await call(inserted, [base], { ...options, method: 'POST', body });
        return moved(result, start);
      });
      return {
        transactions: results.flatMap((result) => result.transactions),
        skipped_duplicates: results.flatMap((result) => result.skipped_duplicates),
      };
    },
    updateMany: async (rows, options) => {
      const results = await sendParts(rows, ({ items }) => {
        const body = { transactions: items };
        return call(transactions, [base], { ...options, method: 'PUT', body });
      });
      return results.flat();
    },
    deleteMany: async (ids, options) => {
      await sendParts(ids, ({ items }) =>
        call(nothing, [base], { ...options, method: 'DELETE', body: { ids: items } }),
      );
    },
    split: (id, parts, options) => {
      const body = { child_transactions: parts };
      return call(transaction, [base, 'split', { id }], { ...options, method: 'POST', body });
    },
  };
}

/** A result whose positions count from the first row of all. */
function moved(result: InsertedTransactions, start: number): InsertedTransactions {
  const skipped_duplicates = result.skipped_duplicates.map((skip) => ({
    ...skip,
    request_transactions_index: skip.request_transactions_index + start,
  }));
  return { ...result, skipped_duplicates };
}

/*
 * Divides many items into several requests.
 */

/** Maximum number of items in a request to the service. */
const maxItems = 500;
/** The service accepts bodies of 1 MiB; the rest is for the other properties and the punctuation. */
const maxBytes = 1_000_000;

/** The items of one request. */
interface Part<T> {
  /** The position of its first item among all. */
  readonly start: number;
  readonly items: readonly T[];
}

/**
 * Divides items into parts of at most 500 and, as JSON, about a megabyte. A single item that is larger is a part. No
 * items: no parts.
 */
export function divide<T>(items: readonly T[]): Part<T>[] {
  const parts: { start: number; items: T[] }[] = [];
  let bytes = 0;
  items.forEach((item, start) => {
    // As JSON with a comma, in bytes.
    const size = new TextEncoder().encode(JSON.stringify(item)).length + 1;
    const part = parts.at(-1);
    if (part === undefined || part.items.length === maxItems || bytes + size > maxBytes) {
      parts.push({ start, items: [item] });
      bytes = size;
    } else {
      part.items.push(item);
      bytes += size;
    }
  });
  return parts;
}

/**
 * Sends a request for each part, one after the other, and resolves to their results.
 *
 * Rejects with the error of the first request, or with {@link IncompleteError} when a later one fails.
 */
async function sendParts<T, R>(
  items: readonly T[],
  send: (part: Part<T>) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (const part of divide(items)) {
    try {
      results.push(await send(part));
    } catch (error) {
      if (part.start === 0) throw error;
      throw new IncompleteError(part.start, error);
    }
  }
  return results;
}

/** A file to attach. */
export interface AttachmentInsert {
  /** JPEG, PNG, PDF, HEIC or HEIF of less than 10 MB. */
  readonly file: Blob | Uint8Array;
  /** Its name; default: that of a `File`, otherwise `file`. */
  readonly name?: string | undefined;
  /** Its type, such as `image/png`; default: that of a `Blob`. Coffer looks at the content instead. */
  readonly type?: string | undefined;
  readonly notes?: string | undefined;
}

/** Methods of the files of transactions. */
export interface TransactionAttachments extends Pick<Sent, 'attachmentUrl' | 'deleteAttachment'> {
  /** Attaches a file. ApiError 400: another type or too large; 404: the transaction does not exist. */
  attach(
    transactionId: number,
    attachment: AttachmentInsert,
    options?: CallOptions,
  ): Promise<TransactionAttachment>;
}

/** A file of a transaction. */
export type TransactionAttachment = Schema<'TransactionAttachment'>;

const attachment = recordShape<TransactionAttachment>('TransactionAttachment');

function makeAttach(call: Call): TransactionAttachments['attach'] {
  return (id, insert, options) => {
    const path = [base, { id }, 'attachments'];
    return call(attachment, path, { ...options, method: 'POST', body: formOf(insert) });
  };
}

function formOf({ file, name, type, notes }: AttachmentInsert): FormData {
  const isBlob = file instanceof Blob;
  // A copy, because a view can be one of shared memory.
  const content = isBlob ? file : new Uint8Array(file);
  const form = new FormData();
  const ownName = isBlob && 'name' in file ? String(file.name) : 'file';
  const ownType = isBlob ? file.type : '';
  form.append('file', new Blob([content], { type: type ?? ownType }), name ?? ownName);
  if (notes !== undefined) form.append('notes', notes);
  return form;
}
