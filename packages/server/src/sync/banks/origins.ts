import sql, { join } from 'sql-template-tag';
import { updateUnlogged } from '../../book/unlogged.ts';
import { blocksOf, padded } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { flag, integer, nullable, text } from '../../db/table.ts';
import { importOrigins } from '../../db/tables/tables.ts';
import type { BankEntry, DayRange, EntryOrigin } from './rules.ts';

/** What the bank had said of transactions of an account that a user changed or deleted. */
export interface BankOrigins {
  /** By the ids of transactions that are still in the account. */
  readonly changed: ReadonlyMap<number, EntryOrigin>;
  /** Of transactions that are deleted, or in another account. */
  readonly gone: readonly EntryOrigin[];
}

const shape = {
  id: integer,
  date: text,
  amount: integer,
  payee: text,
  remote_id: nullable(text),
  is_pending: flag,
  is_deleted: flag,
  is_here: flag,
};

/** Reads the origins with dates in a range, and those with the ids of entries. */
export function* originsOf(
  account: { readonly book_id: number; readonly id: number },
  entries: readonly BankEntry[],
  { from, to }: DayRange,
): Steps<BankOrigins> {
  const found = yield* originsWhere(account, sql`o.date BETWEEN ${from} AND ${to}`);
  for (const block of blocksOf([...new Set(entries.map(({ remoteId }) => remoteId))]))
    found.push(
      ...(yield* originsWhere(account, sql`o.remote_id IN (${join(padded(block, block[0]!))})`)),
    );
  const unique = [...new Map(found.map((each) => [each.id, each])).values()];
  const here = unique.filter((each) => each.is_here);
  return {
    changed: new Map(here.map((each) => [each.id, each])),
    gone: unique.filter((each) => !each.is_here),
  };
}

function* originsWhere(
  { book_id, id }: { readonly book_id: number; readonly id: number },
  condition: ReturnType<typeof sql>,
) {
  const found = yield* rowsAs(
    shape,
    sql`SELECT o.transaction_id AS id, o.date, o.amount, o.payee, o.remote_id, o.is_pending,
        CASE WHEN t.id IS NULL THEN 1 ELSE 0 END AS is_deleted,
        CASE WHEN t.plaid_account_id = ${id} THEN 1 ELSE 0 END AS is_here
      FROM import_origins o LEFT JOIN transactions t ON t.book_id = o.book_id AND t.id = o.transaction_id
      WHERE o.book_id = ${book_id} AND o.plaid_account_id = ${id} AND o.remote_id IS NOT NULL AND ${condition}
      ORDER BY o.transaction_id`,
  );
  return found.map((each) => ({ ...each, original_name: each.payee }));
}

/** Keeps that the bank says something else now of a transaction that a user changed. */
export function* noteWord(
  book_id: number,
  transaction_id: number,
  { date, amount, remoteId, isPending }: BankEntry,
): Steps<void> {
  const word = { date, amount, remote_id: remoteId, is_pending: isPending };
  yield* updateUnlogged(importOrigins, { book_id, transaction_id }, word);
}
