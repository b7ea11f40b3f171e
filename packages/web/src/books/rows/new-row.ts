import { negate } from '../formats/money.ts';
import type { Schemas, Transaction } from '../types.ts';
import { accountIdIn } from './rows.ts';

type TransactionInsert = Schemas['TransactionInsert'];

/** A transaction that is typed. What is not set is null. */
export interface NewRow {
  readonly date: string;
  readonly payee: string | null;
  /** A decimal without a sign. */
  readonly amount: string | null;
  readonly direction: 'out' | 'in' | 'transfer';
  /** `manual:1` or `plaid:1`; empty for none. */
  readonly account: string;
  /** The account in which a transfer arrives, in the same form. */
  readonly to: string;
  /** What arrives in another currency: a decimal without a sign. */
  readonly received: string | null;
  readonly category_id: number | null;
  readonly notes: string | null;
  readonly tag_ids: readonly number[];
}

/** Returns an empty transaction of a day, in an account. */
export function emptyRow(date: string, account: string): NewRow {
  return {
    date,
    account,
    to: '',
    received: null,
    payee: null,
    amount: null,
    direction: 'out',
    category_id: null,
    notes: null,
    tag_ids: [],
  };
}

/** Returns the next transaction to type: of the same day, in the same account. */
export function nextRow({ date, account }: NewRow): NewRow {
  return emptyRow(date, account);
}

/** Returns what the last transaction of a payee says of a new one: its category, account and direction. */
export function likeLast(
  last: Pick<Transaction, 'category_id' | 'amount' | 'manual_account_id'>,
): Partial<NewRow> {
  const { category_id, manual_account_id: id } = last;
  return {
    category_id,
    direction: last.amount.startsWith('-') ? 'in' : 'out',
    ...(id !== null && { account: `manual:${id}` }),
  };
}

/** Returns the request for a typed transaction. Somebody has just seen it, so that it is reviewed. */
export function insertOf(row: NewRow, currency: string): TransactionInsert {
  const { account, direction, amount, tag_ids, date, payee, category_id, notes } = row;
  const size = amount ?? '0';
  return {
    ...{ date, payee, category_id, notes },
    amount: direction === 'in' ? negate(size) : size,
    currency: currency as NonNullable<TransactionInsert['currency']>,
    tag_ids: [...tag_ids],
    status: 'reviewed',
    ...accountIdIn(account),
  };
}

/** Returns the request for a typed transfer. `isConverted`: its accounts have two currencies. */
export function transferOf(row: NewRow, isConverted: boolean): Schemas['TransferRowsInsert'] {
  const { date, amount, received, payee, notes } = row;
  return {
    date,
    amount: amount ?? '0',
    from_account: accountIdIn(row.account),
    to_account: accountIdIn(row.to),
    ...(isConverted && received !== null && { received_amount: received }),
    ...(payee !== null && { payee }),
    ...(notes !== null && { notes }),
  };
}
