import sql, { join } from 'sql-template-tag';
import { blockSize, blocksOf, padded } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import type { NewRow } from '../db/table.ts';
import { importForms, transactions } from '../db/tables/tables.ts';
import type { Change } from '../book/change.ts';
import { updateTransactions } from '../ledger/transactions/writes.ts';
import type { TransactionRow, TransactionUpdate } from '../ledger/transactions/writes.ts';
import type { Candidate } from './candidate.ts';
import type { Form, KnownRow } from './forms.ts';
import { IdSet } from './id-set.ts';

/** What an import changes in a transaction that the book has. */
interface KnownUpdate {
  readonly id: number;
  readonly columns: Partial<TransactionRow>;
  /** The payee with which the bank had it as pending; a user may have changed it. */
  readonly payeeBefore?: string;
}

/** A posted transaction in place of a pending one. */
export interface Posting {
  readonly candidate: Candidate;
  /** In the primary currency of the book, debit positive. */
  readonly toBase: number;
  readonly importId: number;
  /** Null keeps the id of the row. */
  readonly externalId: string | null;
}

/** Collects what an import changes in transactions that the book has, and writes it in blocks. */
export class KnownUpdates {
  readonly #change: Change;
  readonly #format: string | null;
  /** The ids of the rows that are changed. */
  readonly changed = new IdSet();
  #updates: KnownUpdate[] = [];
  #forms: NewRow<typeof importForms>[] = [];

  constructor(change: Change, format: string | null) {
    this.#change = change;
    this.#format = format;
  }

  /** Gives a row the id that its bank has for it. */
  *takeId(row: KnownRow, external_id: string): Steps<void> {
    this.changed.add(row.id);
    this.#updates.push({ id: row.id, columns: { external_id } });
    yield* this.#flushWhenMany();
  }

  /** Keeps how this file has a row, so that the next file of the format is compared with it. */
  *noteForm(row: KnownRow, candidate: Candidate): Steps<void> {
    this.#addForm(row.id, candidate, this.#format);
    yield* this.#flushWhenMany();
  }

  /** Posts a pending row. It keeps what the user changed, and that it was pending. */
  *post(row: KnownRow, { candidate, toBase, importId, externalId }: Posting): Steps<void> {
    this.#addForm(row.id, row, row.format);
    const { date, amount, currency, payee } = candidate;
    this.#updates.push({
      id: row.id,
      payeeBefore: row.payee,
      columns: {
        date,
        amount: amount === 0 ? 0 : -amount,
        currency,
        to_base: toBase,
        payee,
        original_name: payee,
        is_pending: false,
        import_id: importId,
        ...(externalId !== null && { external_id: externalId }),
      },
    });
    yield* this.#flushWhenMany();
  }

  *flush(): Steps<void> {
    const [updates, forms] = [this.#updates, this.#forms];
    [this.#updates, this.#forms] = [[], []];
    for (const block of blocksOf(updates)) yield* this.#write(block);
    yield* this.#change.insertAll(importForms, forms);
  }

  #addForm(id: number, form: Form, format: string | null): void {
    this.changed.add(id);
    const { date, amount, payee, externalId, isPending } = form;
    this.#forms.push({
      transaction_id: id,
      version: this.#change.version,
      format,
      date,
      amount: amount === 0 ? 0 : -amount,
      payee,
      external_id: externalId,
      is_pending: isPending,
    });
  }

  *#flushWhenMany(): Steps<void> {
    if (this.#updates.length + this.#forms.length >= blockSize) yield* this.flush();
  }

  *#write(updates: readonly KnownUpdate[]): Steps<void> {
    const rows = yield* this.#read(
      'id',
      updates.map(({ id }) => id),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const all = updates.map(({ id, columns, payeeBefore }): TransactionUpdate => {
      const before = byId.get(id)!;
      return { before, columns: withoutShown(before, columns, payeeBefore) };
    });
    // The balances are moved at the end of the import.
    yield* updateTransactions(this.#change, all, { skipBalanceUpdate: true, isOfBank: true });
    const posted = all.filter(({ before, columns }) => {
      return before.is_split_parent && columns.is_pending === false;
    });
    const parts = yield* this.#read(
      'split_parent_id',
      posted.map(({ before }) => before.id),
    );
    yield* this.#change.updateAll(transactions, parts, { is_pending: false });
  }

  *#read(column: 'id' | 'split_parent_id', ids: readonly number[]): Steps<TransactionRow[]> {
    if (ids.length === 0) return [];
    const list = join(padded(ids, ids[0]!));
    const sorted = ids.toSorted((a, b) => a - b);
    // Without the range PostgreSQL may read the whole book, as long as it has no statistics of new rows.
    const range = sql`id BETWEEN ${sorted[0]} AND ${sorted.at(-1)}`;
    const and =
      column === 'id' ? sql`${range} AND id IN (${list})` : sql`split_parent_id IN (${list})`;
    return yield* select(transactions, { book_id: this.#change.bookId }, { and });
  }
}

/** A payee that the user changed, or that a recurring item shows, stays. */
function withoutShown(
  before: TransactionRow,
  { payee, ...columns }: Partial<TransactionRow>,
  payeeBefore: string | undefined,
): Partial<TransactionRow> {
  if (payee === undefined) return columns;
  if (before.own_payee !== null)
    return { ...columns, ...(before.own_payee === payeeBefore && { own_payee: payee }) };
  return { ...columns, ...(before.payee === payeeBefore && { payee }) };
}
