import { formatAmount } from '@coffer/core/money';
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { Change } from '../../../book/change.ts';
import { padded } from '../../../db/blocks.ts';
import { exactSum } from '../../../db/derived-tables.ts';
import type { Steps } from '../../../db/engine.ts';
import { idsOf, rowsAs } from '../../../db/rows.ts';
import type { Row } from '../../../db/table.ts';
import { transactions, transfers } from '../../../db/tables/tables.ts';
import { notFound } from '../../../operations/problem.ts';
import { countingPairs, type TransferSide } from '../../../pages/sides.ts';
import { recordsById } from '../references.ts';
import type { TransactionRow } from '../writes.ts';
import type { Transfer, TransferList, TransferQuery } from './schema.ts';

type Pair = Row<typeof transfers>;

/** Returns the conditions of {@link countingPairs} that a row fails, in words; null if it can be part of a pair. */
export function whyNoSide(row: TransactionRow, side: 'sent' | 'received'): string | null {
  if (row.is_split_parent) return 'is split: pair one of its parts';
  if (row.is_group_parent) return 'is a group: pair a transaction that is not grouped';
  if (row.group_parent_id !== null) return 'is in a group';
  if (accountOf(row) === null) return 'has no account';
  if (side === 'sent' && row.amount <= 0)
    return `is no money out: its amount is ${formatAmount(row.amount)}`;
  if (side === 'received' && row.amount >= 0)
    return `is no money in: its amount is ${formatAmount(row.amount)}`;
  return null;
}

/** Returns a text that is the same for transactions in the same account; null without one. */
export function accountOf({
  manual_account_id: manual,
  plaid_account_id: plaid,
}: Pick<TransactionRow, 'manual_account_id' | 'plaid_account_id'>): string | null {
  if (manual !== null) return `manual ${manual}`;
  return plaid === null ? null : `plaid ${plaid}`;
}

/** Returns the ids of the pairs that count and have one of some transactions, at most a block of ids. */
export function* countingIds(bookId: number, ids: readonly number[]): Steps<Set<number>> {
  const some = join(padded(ids, ids[0]!));
  const has = sql`AND (p.sent_id IN (${some}) OR p.received_id IN (${some}))`;
  return new Set(yield* idsOf(sql`SELECT p.id FROM ${countingPairs(bookId, has)}`));
}

/** Returns a page of the transfers of a book, the newest first. */
export function* listTransfers(bookId: number, query: TransferQuery): Steps<TransferList> {
  const { limit, offset, transaction_ids: ids, start_date: start, end_date: end } = query;
  const some = ids?.split(',').map(Number) ?? [];
  const ofRows = (row: 's' | 'r') => [
    ...(start === undefined ? [] : [sql`${raw(row)}.date >= ${start}`]),
    ...(end === undefined ? [] : [sql`${raw(row)}.date <= ${end}`]),
  ];
  const dated = (row: 's' | 'r') => sql`(${join([sql`1 = 1`, ...ofRows(row)], ' AND ')})`;
  const own = join(padded(some.length === 0 ? [0] : some, some[0] ?? 0));
  const named =
    ids === undefined ? empty : sql`AND (p.sent_id IN (${own}) OR p.received_id IN (${own}))`;
  const found = yield* rowsAs(
    transfers.columns,
    sql`SELECT ${pairColumns} FROM ${countingPairs(bookId, sql`AND (${dated('s')} OR ${dated('r')}) ${named}`)}
      ORDER BY s.date DESC, p.id DESC LIMIT ${limit + 1} OFFSET ${offset}`,
  );
  const page = found.slice(0, limit);
  return { transfers: yield* withRows(bookId, page), has_more: found.length > limit };
}

const pairColumns = raw(
  Object.keys(transfers.columns)
    .map((name) => `p.${name}`)
    .join(', '),
);

/** Returns a transfer that counts. Throws a 404 for others. */
export function* transferOf(bookId: number, id: number): Steps<Transfer> {
  const found = yield* rowsAs(
    transfers.columns,
    sql`SELECT ${pairColumns} FROM ${countingPairs(bookId, sql`AND p.id = ${id}`)}`,
  );
  const [transfer] = yield* withRows(bookId, found);
  if (transfer === undefined) throw notFound('transfer', id);
  return transfer;
}

function* withRows(bookId: number, pairs: readonly Pair[]): Steps<Transfer[]> {
  const ids = pairs.flatMap(({ sent_id, received_id }) => [sent_id, received_id]);
  const rows = yield* recordsById(transactions, bookId, ids);
  return pairs.map((pair) => toWire(pair, rows.get(pair.sent_id)!, rows.get(pair.received_id)!));
}

/** Returns a transfer as in a response. */
export function toWire(pair: Pair, sent: TransactionRow, received: TransactionRow): Transfer {
  const { id, found_by, created_at } = pair;
  return { id, found_by, ...differenceOf(sent, received), ...sidesOf(sent, received), created_at };
}

/** Returns the two transactions of a pair as in a response. */
export function sidesOf(
  sent: TransactionRow,
  received: TransactionRow,
): Pick<Transfer, 'sent' | 'received'> {
  return { sent: sideOf(sent), received: sideOf(received) };
}

function sideOf(row: TransactionRow): Transfer['sent'] {
  return {
    transaction_id: row.id,
    date: row.date,
    amount: formatAmount(Math.abs(row.amount)),
    currency: row.currency,
    payee: row.payee,
    manual_account_id: row.manual_account_id,
    plaid_account_id: row.plaid_account_id,
  };
}

/** Rates have six decimals. */
const rateDigits = 1_000_000;

/** Returns by what the amounts of a pair differ: a rate between two currencies, or else a fee. */
export function differenceOf(
  sent: Pick<TransactionRow, 'amount' | 'currency'>,
  received: Pick<TransactionRow, 'amount' | 'currency'>,
): Pick<Transfer, 'rate' | 'fee'> {
  if (sent.currency === received.currency)
    return { rate: null, fee: formatAmount(sent.amount + received.amount) };
  return {
    rate: Math.round((-received.amount / sent.amount) * rateDigits) / rateDigits,
    fee: null,
  };
}

/** Removes the pairs of a book whose transactions no longer exist: those that were made after what an undo removed. */
export function* removeLeftPairs(change: Change): Steps<void> {
  const exists = (column: string) =>
    sql`EXISTS (SELECT 1 FROM transactions t WHERE t.book_id = ${change.bookId} AND t.id = ${raw(column)})`;
  const left = yield* rowsAs(
    transfers.columns,
    sql`SELECT ${pairColumns} FROM transfers p WHERE p.book_id = ${change.bookId}
      AND NOT (${exists('p.sent_id')} AND ${exists('p.received_id')})`,
  );
  yield* change.removeAll(transfers, left);
}

/** Returns a SELECT of the listed transactions of transfers in some months, by the columns of `transaction_sums`. */
export function sumsOfTransfers(
  bookId: number,
  side: TransferSide,
  { start, end }: { readonly start: string; readonly end: string },
): Sql {
  const name = side === 'sent' ? 's' : 'r';
  const row = raw(name);
  const dates = sql`AND ${row}.is_pending = 0 AND ${row}.date BETWEEN ${`${start}-01`} AND ${`${end}-31`}`;
  return sql`SELECT substr(${row}.date, 1, 7) AS month, coalesce(${row}.category_id, 0) AS category_id,
      coalesce(${row}.manual_account_id, 0) AS manual_account_id,
      coalesce(${row}.plaid_account_id, 0) AS plaid_account_id, count(*) AS listed, ${exactSum(`${name}.to_base`)}
    FROM ${countingPairs(bookId, dates)} GROUP BY 1, 2, 3, 4`;
}
