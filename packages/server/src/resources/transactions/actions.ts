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

/** Writes many transactions in one change, {@link idBlock} at a time. */
export class BulkRows {
  readonly #change: Change;
  #batch: NewTransaction[] = [];
  #nextId = 0;
  #idEnd = 0;
  /** The first id of this write; existing rows have smaller ids. */
  firstId = Number.MAX_SAFE_INTEGER;

  constructor(change: Change) {
    this.#change = change;
  }

  /** Returns a new id. Ids grow in the order of the calls and are never reused. */
  *nextId(): Steps<number> {
    if (this.#nextId === this.#idEnd) {
      const reserved = yield* rowAs({ first: integer }, (yield* dialectOf()).reserveIds);
      if (reserved === undefined) throw new Error('The sequence of transaction ids is missing');
      this.#nextId = reserved.first;
      this.#idEnd = this.#nextId + idBlock;
      this.firstId = Math.min(this.firstId, this.#nextId);
      // Only now: an engine may write these rows while the next ones are prepared, until it waits for a result.
      yield* this.flush();
    }
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  /** Keeps a row until the next ids are reserved. All rows have the same columns. */
  add(transaction: NewTransaction): void {
    this.#batch.push(transaction);
  }

  /** Writes the kept rows; call it at the end, and before a statement that must see every added row. */
  *flush(): Steps<void> {
    const batch = this.#batch;
    this.#batch = [];
    yield* this.#change.insertAll(transactions, batch);
  }
}
