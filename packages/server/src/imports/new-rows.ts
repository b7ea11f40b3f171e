import sql, { join } from 'sql-template-tag';
import type { Change } from '../book/change.ts';
import { blocksOf, padded } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import { transactions } from '../db/tables/tables.ts';
import { BulkRows } from '../ledger/transactions/writes.ts';
import { completionOf } from '../ledger/transactions/complete.ts';
import { insertCompleted } from '../ledger/transactions/complete.ts';
import { splitTransaction } from '../ledger/transactions/split.ts';
import type { Completion } from '../ledger/transactions/complete.ts';
import type { NewTransaction } from '../ledger/transactions/writes.ts';
import type { Candidate } from './candidate.ts';
import type { ImportEntry } from './entry.ts';
import type { ImportNames } from './names.ts';
import type { ImportProblems } from './report.ts';
import type { ImportValues } from './values.ts';

/** Inserts the new transactions of an import, block by block, with their parts. */
export class NewRows {
  readonly #change: Change;
  readonly #values: ImportValues;
  readonly #names: ImportNames;
  /** Split entries that are not written yet, by id. */
  readonly #split = new Map<number, Candidate>();
  /** Read once: each statement waits until PostgreSQL has inserted the block before. */
  #completion: Completion | null = null;
  readonly written: BulkRows;

  constructor(change: Change, values: ImportValues, names: ImportNames) {
    this.#change = change;
    this.#values = values;
    this.#names = names;
    this.written = new BulkRows(change, (rows) => this.#insert(rows));
  }

  /** Adds a problem if the parts of an entry do not total its amount. */
  check({ line, amount, parts }: ImportEntry, problems: ImportProblems): void {
    if (parts === undefined || parts.length === 0) return;
    const total = parts.reduce((sum, part) => sum + BigInt(part.amount), 0n);
    if (parts.length > 1 && total === BigInt(amount)) return;
    const reason = 'are not two parts or more that total the amount';
    problems.add({ line, column: 'parts', value: String(parts.length), reason });
  }

  *add(candidate: Candidate, externalId: string | null, importId: number): Steps<void> {
    const { entry, account, currency, date, payee, isPending, categoryId } = candidate;
    // Avoids -0.
    const amount = candidate.amount === 0 ? 0 : -candidate.amount;
    const toBase = yield* this.#values.toBase(amount, currency, date);
    if (account !== null && !isPending) yield* this.#values.add(account, amount, currency, date);
    const tagIds = entry.tags === undefined ? '[]' : yield* this.#names.tagIds(entry);
    const id = yield* this.written.nextId();
    if (entry.parts !== undefined && entry.parts.length > 0) this.#split.set(id, candidate);
    this.written.add({
      id,
      date,
      amount,
      currency,
      to_base: toBase,
      payee,
      original_name: payee,
      notes: entry.notes,
      category_id: categoryId,
      manual_account_id: account?.id ?? null,
      external_id: externalId,
      tag_ids: tagIds,
      status: 'unreviewed',
      is_pending: isPending,
      source: 'csv',
      import_id: importId,
    });
  }

  *flush(): Steps<void> {
    yield* this.written.flush();
  }

  *#insert(rows: readonly NewTransaction[]): Steps<void> {
    this.#completion ??= yield* completionOf(this.#change.bookId);
    const completion = this.#completion;
    yield* insertCompleted(this.#change, rows, {
      hasRules: true,
      completion,
      skipBalanceUpdate: true,
    });
    if (this.#split.size === 0) return;
    const split = [...this.#split];
    this.#split.clear();
    for (const block of blocksOf(split)) yield* this.#splitAll(new Map(block));
  }

  /** A rule may have split a transaction already, and one with a recurring item cannot be split: they stay so. */
  *#splitAll(split: ReadonlyMap<number, Candidate>): Steps<void> {
    const ids = [...split.keys()];
    const and = sql`id IN (${join(padded(ids, ids[0]!))})`;
    const rows = yield* select(transactions, { book_id: this.#change.bookId }, { and });
    for (const row of rows) {
      if (row.is_split_parent || row.recurring_id !== null) continue;
      const { entry } = split.get(row.id)!;
      const parts = [];
      for (const { amount, payee, notes, category } of entry.parts!) {
        const categoryId = yield* this.#names.category(category, entry);
        parts.push({
          amount: amount === 0 ? 0 : -amount,
          ...(payee !== null && { payee }),
          ...(notes !== null && { notes }),
          ...(categoryId !== null && { category_id: categoryId }),
        });
      }
      yield* splitTransaction(this.#change, row, parts);
    }
  }
}
