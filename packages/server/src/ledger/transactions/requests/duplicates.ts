import { withSingleBlanks } from '@coffer/core/text';
import sql, { join } from 'sql-template-tag';
import { blocksOf, padded } from '../../../db/blocks.ts';
import type { Steps } from '../../../db/engine.ts';
import { rowsAs } from '../../../db/rows.ts';
import { integer, nullable, text } from '../../../db/table.ts';
import { holdersOf, keyOf } from './external-ids.ts';
import type { SkippedTransaction } from './bodies.ts';

/** What identifies a new transaction; the amount in ten-thousandths. */
export interface Content {
  readonly date: string;
  readonly amount: number;
  readonly payee: string;
  readonly manual_account_id: number | null;
  readonly plaid_account_id: number | null;
  readonly external_id: string | null;
}

/** A transaction that exists, and why a new one duplicates it. */
export interface Duplicate {
  readonly reason: SkippedTransaction['reason'];
  readonly existingId: number;
}

/**
 * Returns for each new transaction the one that it duplicates, or null.
 *
 * A transaction with the same external id in the same manual account is a duplicate. With `byContent`, so is one with
 * the same date, amount, payee and account, or also without account; blanks of payees do not matter. New transactions
 * are not compared with each other.
 */
export function* findDuplicates(
  bookId: number,
  all: readonly Content[],
  byContent: boolean,
): Steps<(Duplicate | null)[]> {
  const holders = yield* holdersOf(bookId, all);
  const alike = byContent ? yield* findAlike(bookId, all) : new Map<string, number>();
  return all.map((each) => {
    const holder = holders.get(keyOf(each) ?? '');
    if (holder !== undefined) return { reason: 'duplicate_external_id', existingId: holder.id };
    const existingId = alike.get(contentKey(each));
    return existingId === undefined ? null : { reason: 'duplicate_payee_amount_date', existingId };
  });
}

const shape = {
  id: integer,
  date: text,
  amount: integer,
  payee: text,
  manual_account_id: nullable(integer),
  plaid_account_id: nullable(integer),
};

/** Returns the first transaction with each content, among those with the dates and amounts of the new ones. */
function* findAlike(bookId: number, all: readonly Content[]): Steps<Map<string, number>> {
  const found = new Map<string, number>();
  const amounts = Map.groupBy(all, ({ date }) => date);
  for (const dates of blocksOf([...amounts.keys()])) {
    const ofDates = dates.flatMap((date) => amounts.get(date)!.map(({ amount }) => amount));
    const rows = yield* rowsAs(
      shape,
      // Parts of split transactions and groups are not transactions of an account.
      sql`SELECT id, date, amount, coalesce(own_payee, payee) AS payee, manual_account_id, plaid_account_id
        FROM transactions WHERE book_id = ${bookId} AND date IN (${join(padded(dates, dates[0]!))})
          AND amount IN (${join(padded(ofDates, ofDates[0]!))})
          AND split_parent_id IS NULL AND is_group_parent = 0 ORDER BY id DESC`,
    );
    for (const each of rows) found.set(contentKey(each), each.id);
  }
  return found;
}

function contentKey(content: Omit<Content, 'external_id'>): string {
  const { date, amount, payee, manual_account_id, plaid_account_id } = content;
  return `${date} ${amount} ${manual_account_id} ${plaid_account_id} ${withSingleBlanks(payee)}`;
}
