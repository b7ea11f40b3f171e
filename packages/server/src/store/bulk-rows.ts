import sql from 'sql-template-tag';
import { CountChanges } from './counts.ts';
import { idBlock } from './dialect.ts';
import type { Dialect } from './dialect.ts';
import { insertMany, row, run } from './engine.ts';
import type { Operation } from './engine.ts';

/** The columns of a transaction that its writer chooses; amounts in ten-thousandths, debit positive. */
export type TransactionRow = Readonly<{
  id: number;
  book_id: number;
  date: string;
  amount: number;
  currency: string;
  to_base: number;
  payee: string;
  original_name: string | null;
  notes: string | null;
  category_id: number | null;
  manual_account_id: number | null;
  plaid_account_id: number | null;
  external_id: string | null;
  tag_ids: string;
  status: string;
  is_pending: number;
  is_split_parent: number;
  split_parent_id: number | null;
  is_group_parent: number;
  group_parent_id: number | null;
  source: string | null;
  plaid_metadata: string | null;
  custom_metadata: string | null;
  created_at: string;
  updated_at: string;
}>;

/** Writes many transactions of one book in one transaction of the engine, and keeps the counts with them. */
export class BulkRows {
  readonly #bookId: number;
  readonly #dialect: Dialect;
  readonly #counts = new CountChanges();
  #batch: TransactionRow[] = [];
  #nextId = 0;
  #idEnd = 0;
  /** The first id that this write was given; rows that were there before have smaller ones. */
  firstId = Number.MAX_SAFE_INTEGER;

  constructor(bookId: number, dialect: Dialect) {
    this.#bookId = bookId;
    this.#dialect = dialect;
  }

  /** An id that no transaction had before; ids grow in the order of the calls and are never given twice. */
  *nextId(): Operation<number> {
    if (this.#nextId === this.#idEnd) {
      const reserved = yield* row<{ first: number }>(this.#dialect.reserveIds);
      if (reserved === undefined) throw new Error('The sequence of transaction ids is missing');
      this.#nextId = reserved.first;
      this.#idEnd = this.#nextId + idBlock;
      this.firstId = Math.min(this.firstId, this.#nextId);
      // Only now, because an engine may write these rows while the next ones are made, until it is asked for an answer.
      yield* this.flush();
    }
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  /** Holds a row back until the next ids are asked for: some {@link idBlock} at once. */
  add(transaction: TransactionRow): void {
    this.#batch.push(transaction);
    if (isListed(transaction)) this.#counts.add(transaction.date, 1);
  }

  /** Writes what is still held back; before a statement that must see every added row. */
  *flush(): Operation<void> {
    const [first] = this.#batch;
    if (first === undefined) return;
    // One writer makes all its rows alike, so the columns of the first are those of all.
    yield* insertMany('transactions', Object.keys(first), this.#batch.map(Object.values));
    this.#batch = [];
  }

  /** Writes the rest and the counts. */
  *finish(): Operation<void> {
    yield* this.flush();
    yield* this.#counts.apply(this.#bookId);
  }
}

function isListed(transaction: TransactionRow): boolean {
  const { is_pending, is_split_parent, group_parent_id } = transaction;
  return is_pending === 0 && is_split_parent === 0 && group_parent_id === null;
}

/**
 * Gives the book its next version, before anything of it is read: whoever writes to the same book waits until this
 * transaction has ended, and reads what it wrote.
 */
export function* lockBook(bookId: number): Operation<void> {
  yield* run(sql`UPDATE books SET version = version + 1 WHERE id = ${bookId}`);
}
