import sql, { join } from 'sql-template-tag';
import { addDays } from '@coffer/core/dates';
import type { Change } from '../../changes/change.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { find, rowsAs, select } from '../../db/rows.ts';
import { integer } from '../../db/table.ts';
import type { Row, RowUpdate } from '../../db/table.ts';
import { connections, plaidAccounts, transactions } from '../../db/tables.ts';
import { isCurrencyCode } from '../../wire/currencies.ts';
import { latestToBase, toBase } from '../currencies/actions.ts';
import { BulkRows, insertCompleted, removeTransactions } from '../transactions/actions.ts';
import type { NewTransaction } from '../transactions/actions.ts';
import { planEntries } from './rules.ts';
import type { BankAccount, BankEntry, BankReading, DayRange, StoredEntry } from './rules.ts';

type Connection = Row<typeof connections>;
type Account = Row<typeof plaidAccounts>;

/** A bank may send an entry of the range that was stored with an earlier date. */
const marginDays = 30;

/** What a reading changed. */
export interface SavedReading {
  readonly added: number;
  readonly changed: number;
  readonly withdrawn: number;
  /** Sentences for the user. */
  readonly problems: readonly string[];
}

/**
 * Stores a reading of a connection: its accounts with their balances, and their transactions of a range of days.
 *
 * New transactions pass the rules of the book. What the user changed stays. A transaction that the bank has withdrawn
 * is removed if it was pending and the user never changed it; otherwise its status becomes `delete_pending`.
 */
export function* saveReading(
  change: Change,
  connection: Connection,
  reading: BankReading,
  range: DayRange,
): Steps<SavedReading> {
  const problems = [...reading.problems];
  const saved = { added: 0, changed: 0, withdrawn: 0 };
  for (const each of reading.accounts) {
    if (!isCurrencyCode(each.currency)) {
      problems.push(`The account "${each.name}" has the unknown currency "${each.currency}"`);
      continue;
    }
    const account = yield* accountOf(change, connection, each);
    if (account.status === 'inactive' || account.status === 'closed') continue;
    const result = yield* saveEntries(change, account, each.entries, range);
    saved.added += result.added;
    saved.changed += result.changed;
    saved.withdrawn += result.withdrawn;
    yield* saveAccount(change, account, each, reading.readAt, result.added > 0);
  }
  yield* change.update(connections, connection, {
    ...{ status: 'active', last_read: reading.readAt },
    problems: problems.length === 0 ? null : problems.join('\n'),
  });
  return { ...saved, problems };
}

function* accountOf(change: Change, connection: Connection, bank: BankAccount): Steps<Account> {
  const key = { connection_id: connection.id, remote_id: bank.remoteId };
  const found = yield* find(plaidAccounts, { book_id: change.bookId, ...key });
  if (found !== undefined) return found;
  const left = { remote_id: bank.remoteId, connection_id: null };
  const former = yield* find(plaidAccounts, { book_id: change.bookId, ...left });
  if (former !== undefined)
    return yield* change.update(plaidAccounts, former, { connection_id: connection.id });
  const { name, type, mask, currency, balance } = bank;
  return yield* change.insert(plaidAccounts, {
    ...{ ...key, name, type, subtype: '', mask, currency, balance, status: 'syncing' },
    institution_name: bank.institution,
    plaid_item_id: `${connection.provider} ${connection.id}`,
    linked_by_name: connection.created_by_name,
    date_linked: change.at.slice(0, 10),
  });
}

function* saveAccount(
  change: Change,
  account: Account,
  { balance, balanceAt, currency }: BankAccount,
  readAt: string,
  hasNew: boolean,
): Steps<void> {
  yield* change.update(plaidAccounts, account, {
    ...{ balance, currency, status: 'active', balance_last_update: balanceAt },
    to_base: yield* latestToBase(change.bookId, balance, currency, change.at),
    last_fetch: readAt,
    last_import: hasNew ? readAt : account.last_import,
    plaid_last_successful_update: readAt,
  });
}

function* saveEntries(
  change: Change,
  account: Account,
  entries: readonly BankEntry[],
  range: DayRange,
): Steps<Record<'added' | 'changed' | 'withdrawn', number>> {
  const wanted = entries.filter(({ date }) => date >= (account.import_start_date ?? ''));
  const stored = yield* storedEntries(account, wanted, range);
  const plan = planEntries(stored, wanted, range);
  yield* insertNew(change, account, plan.added);
  let changed = 0;
  for (const { stored: row, entry } of plan.known) {
    const after = yield* change.update(transactions, row, yield* columnsOf(change, row, entry));
    if (after !== row) changed += 1;
  }
  return {
    ...{ added: plan.added.length, changed },
    withdrawn: yield* withdraw(change, plan.withdrawn),
  };
}

/** The stored transactions around the range, and those with the ids of the entries. */
function* storedEntries(
  { book_id, id }: Account,
  entries: readonly BankEntry[],
  { from, to }: DayRange,
): Steps<StoredEntry[]> {
  const bounds = sql`date BETWEEN ${addDays(from, -marginDays)} AND ${addDays(to, marginDays)}`;
  const ofAccount = { book_id, plaid_account_id: id };
  const found = yield* select(transactions, ofAccount, {
    and: sql`remote_id IS NOT NULL AND ${bounds}`,
  });
  const known = new Set(found.map((row) => row.remote_id));
  const missing = entries.map(({ remoteId }) => remoteId).filter((each) => !known.has(each));
  for (const block of blocksOf([...new Set(missing)]))
    found.push(
      ...(yield* select(transactions, ofAccount, { and: sql`remote_id IN (${join(block)})` })),
    );
  return found;
}

function* insertNew(change: Change, account: Account, entries: readonly BankEntry[]): Steps<void> {
  const bulk = new BulkRows(change);
  const rows: NewTransaction[] = [];
  for (const entry of entries) rows.push(yield* newRow(bulk, change, account, entry));
  yield* insertCompleted(change, rows, { hasRules: true });
}

function* newRow(
  bulk: BulkRows,
  { bookId }: Change,
  { id, currency }: Account,
  entry: BankEntry,
): Steps<NewTransaction> {
  const { date, amount, payee, notes, isPending, remoteId, metadata } = entry;
  return {
    ...{ id: yield* bulk.nextId(), date, amount, currency, payee, notes },
    to_base: yield* toBase(bookId, amount, currency, date),
    ...{ original_name: payee, plaid_account_id: id, remote_id: remoteId },
    ...{ is_pending: isPending, plaid_metadata: metadata, status: 'unreviewed', source: 'plaid' },
  };
}

/** The columns that follow the bank. Text stays once the transaction is posted, and wherever the user changed it. */
function* columnsOf(
  { bookId }: Change,
  row: StoredEntry,
  { date, amount: sent, payee, isPending, remoteId, metadata }: BankEntry,
): Steps<RowUpdate<typeof transactions>> {
  // The parts of a split and the total of a group depend on the amount.
  const amount = row.is_split_parent || row.group_parent_id !== null ? row.amount : sent;
  const isSame = amount === row.amount && date === row.date;
  const followsPayee = row.is_pending && !isPending && row.payee === row.original_name;
  const isBack = row.status === 'delete_pending';
  return {
    ...{ date, amount, remote_id: remoteId, plaid_metadata: metadata },
    to_base: isSame ? row.to_base : yield* toBase(bookId, amount, row.currency, date),
    // A posted transaction never becomes pending again.
    is_pending: row.is_pending && isPending,
    ...(followsPayee && row.recurring_id === null && { payee }),
    ...(isBack && { status: 'unreviewed' }),
  };
}

function* withdraw(change: Change, rows: readonly StoredEntry[]): Steps<number> {
  const removed: StoredEntry[] = [];
  const kept: StoredEntry[] = [];
  for (const row of rows.filter(({ status }) => status !== 'delete_pending'))
    if (row.is_pending && !(yield* isTouched(change.bookId, row.id))) removed.push(row);
    else kept.push(row);
  yield* removeTransactions(change, removed, { isOfBank: true });
  yield* change.updateAll(transactions, kept, { status: 'delete_pending' });
  return removed.length + kept.length;
}

/** Whether anybody but a connection to a bank has changed a transaction. */
function* isTouched(bookId: number, id: number): Steps<boolean> {
  const found = yield* rowsAs(
    { version: integer },
    sql`SELECT r.version FROM changed_records r
      JOIN changes c ON c.book_id = r.book_id AND c.version = r.version
      WHERE r.book_id = ${bookId} AND r.record = 'transactions' AND r.kind = 'changed'
        AND r.first_id <= ${id} AND r.last_id >= ${id}
        AND substr(c.actor, 1, 10) <> 'connection' LIMIT 1`,
  );
  return found.length > 0;
}
