import type { Change } from '../../changes/change.ts';
import { idBlock } from '../../db/dialect.ts';
import { dialectOf } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { rowAs } from '../../db/rows.ts';
import { integer } from '../../db/table.ts';
import type { NewRow } from '../../db/table.ts';
import { transactions } from '../../db/tables.ts';

/** The columns of a new transaction; amounts in ten-thousandths, debit positive. */
export type NewTransaction = NewRow<typeof transactions>;

/** Writes many transactions in one change: some {@link idBlock} at once. */
export class BulkRows {
  readonly #change: Change;
  #batch: NewTransaction[] = [];
  #nextId = 0;
  #idEnd = 0;
  /** The first id that this write was given; rows that were there before have smaller ones. */
  firstId = Number.MAX_SAFE_INTEGER;

  constructor(change: Change) {
    this.#change = change;
  }

  /** An id that no transaction had before; ids grow in the order of the calls and are never given twice. */
  *nextId(): Steps<number> {
    if (this.#nextId === this.#idEnd) {
      const reserved = yield* rowAs({ first: integer }, (yield* dialectOf()).reserveIds);
      if (reserved === undefined) throw new Error('The sequence of transaction ids is missing');
      this.#nextId = reserved.first;
      this.#idEnd = this.#nextId + idBlock;
      this.firstId = Math.min(this.firstId, this.#nextId);
      // Only now: an engine may write these rows while the next ones are made, until it has to wait for a result.
      yield* this.flush();
    }
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  /** Holds a row back until the next ids are reserved. All rows have the same columns. */
  add(transaction: NewTransaction): void {
    this.#batch.push(transaction);
  }

  /** Writes what is still held back; before a statement that must see every added row, and at the end. */
  *flush(): Steps<void> {
    const batch = this.#batch;
    this.#batch = [];
    yield* this.#change.insertAll(transactions, batch);
  }
}
