import sql, { join } from 'sql-template-tag';
import { blocksOf, padded } from './blocks.ts';
import { run, type Steps } from './engine.ts';

/**
 * Keeps what files and banks have said of transactions that a user is about to change or to delete; the first time
 * only. Transactions of another source, and parts of splits, have no origin.
 */
export function* storeOrigins(bookId: number, ids: readonly number[]): Steps<void> {
  for (const block of blocksOf(ids))
    yield* run(sql`
      INSERT INTO import_origins (book_id, transaction_id, manual_account_id, plaid_account_id, date, amount, currency,
        payee, external_id, remote_id, import_id, is_pending)
      SELECT ${bookId}, t.id, t.manual_account_id, t.plaid_account_id, t.date, t.amount, t.currency,
        coalesce(t.original_name, t.payee), t.external_id, t.remote_id, t.import_id, t.is_pending
      FROM transactions t
      WHERE t.book_id = ${bookId} AND t.id IN (${join(padded(block, block[0]!))})
        AND t.split_parent_id IS NULL AND t.is_group_parent = 0
        AND (t.import_id IS NOT NULL OR t.remote_id IS NOT NULL OR t.source = 'csv' OR EXISTS (
          SELECT 1 FROM import_forms f WHERE f.book_id = ${bookId} AND f.transaction_id = t.id))
      ON CONFLICT DO NOTHING`);
}

/** Forgets the origins of transactions: they are as a file has them now. */
export function* forgetOrigins(bookId: number, ids: readonly number[]): Steps<void> {
  for (const block of blocksOf(ids))
    yield* run(sql`DELETE FROM import_origins
      WHERE book_id = ${bookId} AND transaction_id IN (${join(padded(block, block[0]!))})`);
}

/** Makes the origins of a manual account those of another account. */
export function* moveOrigins(
  bookId: number,
  from: number,
  into: { readonly manual_account_id: number | null; readonly plaid_account_id: number | null },
): Steps<void> {
  yield* run(sql`UPDATE import_origins
    SET manual_account_id = ${into.manual_account_id}, plaid_account_id = ${into.plaid_account_id}
    WHERE book_id = ${bookId} AND manual_account_id = ${from}`);
}
