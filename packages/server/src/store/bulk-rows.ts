import sql from 'sql-template-tag';
import { CountChanges } from './counts.ts';
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

const batchSize = 500;
/** Ids that are reserved and not used are gone: few enough to lose, many enough to seldom ask. */
const idBlock = 500;

/** Writes many transactions of one book in one transaction of the engine, and keeps the counts with them. */
export class BulkRows {
  readonly #bookId: number;
  readonly #counts = new CountChanges();
  #batch: TransactionRow[] = [];
  #nextId = 0;
  #idEnd = 0;
  /** The first id that this write was given; rows that were there before have smaller ones. */
  firstId = Number.MAX_SAFE_INTEGER;

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  /** An id that no transaction had before; ids grow in the order of the calls and are never given twice. */
  *nextId(): Operation<number> {
    if (this.#nextId === this.#idEnd) {
      this.#nextId = yield* reserveIds(idBlock);
      this.#idEnd = this.#nextId + idBlock;
      this.firstId = Math.min(this.firstId, this.#nextId);
    }
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  *add(transaction: TransactionRow): Operation<void> {
    this.#batch.push(transaction);
    if (isListed(transaction)) this.#counts.add(transaction.date, 1);
    if (this.#batch.length === batchSize) yield* this.flush();
  }

  /** Writes what is still held back; before a statement that must see every added row. */
  *flush(): Operation<void> {
    const [first] = this.#batch;
    if (first === undefined) return;
    // One writer makes all its rows alike, so the columns of the first are those of all.
    yield* insertMany('transactions', Object.keys(first), this.#batch.map(Object.values));
    this.#batch = [];
  }

  /** Writes the rest and the counts, and gives the book its next version. */
  *finish(): Operation<void> {
    yield* this.flush();
    yield* this.#counts.apply(this.#bookId);
    yield* run(sql`UPDATE books SET version = version + 1 WHERE id = ${this.#bookId}`);
  }
}

function isListed(transaction: TransactionRow): boolean {
  const { is_pending, is_split_parent, group_parent_id } = transaction;
  return is_pending === 0 && is_split_parent === 0 && group_parent_id === null;
}

function* reserveIds(count: number): Operation<number> {
  const reserved = yield* row<{ first: number }>(sql`
    UPDATE id_sequences SET next_id = next_id + ${count} WHERE name = 'transactions'
    RETURNING next_id - ${count} AS first`);
  if (reserved === undefined) throw new Error('The sequence of transaction ids is missing');
  return reserved.first;
}
