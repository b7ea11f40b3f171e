import { addDays } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import { quote } from '@coffer/core/text';
import sql, { join } from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import { updateUnlogged } from '../../book/unlogged.ts';
import { blocksOf, padded } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { find, rowsAs, select } from '../../db/rows.ts';
import { integer, flag, nullable, text, type Row, type RowUpdate } from '../../db/table.ts';
import { connections, plaidAccounts, transactions, importOrigins } from '../../db/tables/tables.ts';
import { inSense, putAnchor } from '../../ledger/accounts/anchors.ts';
import { latestToBase, toBase } from '../../ledger/currencies/actions.ts';
import { BulkRows, removeTransactions } from '../../ledger/transactions/writes.ts';
import { insertCompleted } from '../../ledger/transactions/complete.ts';
import type { NewTransaction } from '../../ledger/transactions/writes.ts';
import { isCurrencyCode } from '../../operations/currencies.ts';
import { only } from '../../operations/schema.ts';
import { planEntries } from './rules.ts';
import type {
  BankAccount,
  BankEntry,
  BankReading,
  DayRange,
  EntryPlan,
  EntryOrigin,
  StoredEntry,
} from './rules.ts';

type Connection = Row<typeof connections>;
type Account = Row<typeof plaidAccounts>;

/** A bank may send an entry of the range that was stored with an earlier date. */
const marginDays = 30;
/** Entries of an account that are listed because they were left out. */
const mostListed = 10;

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
 * is removed if it was pending and the user never changed it; otherwise its status becomes `delete_pending`. One that a
 * user deleted or moved to another account is left out, which the problems say, unless `keepsGone`.
 */
export function* saveReading(
  change: Change,
  connection: Connection,
  reading: BankReading,
  range: DayRange,
  keepsGone = false,
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
    const result = yield* saveEntries(change, account, each.entries, { range, keepsGone });
    problems.push(...leftOut(each.name, result.left));
    saved.added += result.added;
    saved.changed += result.changed;
    saved.withdrawn += result.withdrawn;
    yield* saveAccount(change, account, each, reading.readAt, result.added > 0);
  }
  yield* change.update(connections, connection, {
    status: 'active',
    last_read: reading.readAt,
    problems: problems.length === 0 ? null : problems.join('\n'),
  });
  return { ...saved, problems };
}

function* accountOf(change: Change, connection: Connection, bank: BankAccount): Steps<Account> {
  const key = { connection_id: connection.id, remote_id: bank.remote_id };
  const found = yield* find(plaidAccounts, { book_id: change.bookId, ...key });
  if (found !== undefined) return found;
  const left = { remote_id: bank.remote_id, connection_id: null };
  const former = yield* find(plaidAccounts, { book_id: change.bookId, ...left });
  if (former !== undefined)
    return yield* change.update(plaidAccounts, former, { connection_id: connection.id });
  return yield* change.insert(plaidAccounts, {
    ...key,
    ...only(bank, ['name', 'type', 'mask', 'currency', 'balance', 'institution_name']),
    subtype: '',
    status: 'syncing',
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
    balance,
    currency,
    status: 'active',
    balance_last_update: balanceAt,
    to_base: yield* latestToBase(change.bookId, balance, currency, change.at),
    last_fetch: readAt,
    last_import: hasNew ? readAt : account.last_import,
    plaid_last_successful_update: readAt,
  });
  const { id, type } = account;
  const anchored = { kind: 'plaid', id, bookId: change.bookId, currency, type } as const;
  const known = { day: balanceAt.slice(0, 10), balance: inSense(account, balance) };
  yield* putAnchor(change, anchored, { ...known, source: 'bank' });
}

function* saveEntries(
  change: Change,
  account: Account,
  entries: readonly BankEntry[],
  { range, keepsGone }: { readonly range: DayRange; readonly keepsGone: boolean },
): Steps<Record<'added' | 'changed' | 'withdrawn', number> & Pick<EntryPlan, 'left'>> {
  const wanted = entries.filter(({ date }) => date >= (account.import_start_date ?? ''));
  const stored = yield* storedEntries(account, wanted, range);
  const { changed: origins, gone } = yield* originsOf(account, wanted, withMargin(range));
  const plan = planEntries(stored, wanted, range, keepsGone ? [] : gone);
  yield* insertNew(change, account, plan.added);
  let changed = 0;
  for (const { stored: row, entry } of plan.known) {
    const origin = origins.get(row.id);
    const columns = yield* columnsOf(change, row, withChanges(row, entry, origin));
    const after = yield* change.update(transactions, row, columns);
    if (after !== row) changed += 1;
    if (origin !== undefined) yield* noteWord(change.bookId, row.id, entry);
  }
  return {
    added: plan.added.length,
    changed,
    left: plan.left,
    withdrawn: yield* withdraw(change, plan.withdrawn),
  };
}

/** The stored transactions around the range, and those with the ids of the entries. */
function* storedEntries(
  { book_id, id }: Account,
  entries: readonly BankEntry[],
  range: DayRange,
): Steps<StoredEntry[]> {
  const { from, to } = withMargin(range);
  const bounds = sql`date BETWEEN ${from} AND ${to}`;
  const ofAccount = { book_id, plaid_account_id: id };
  const found = yield* select(transactions, ofAccount, {
    and: sql`remote_id IS NOT NULL AND ${bounds}`,
  });
  const known = new Set(found.map((row) => row.remote_id));
  const missing = entries.map(({ remote_id }) => remote_id).filter((each) => !known.has(each));
  for (const block of blocksOf([...new Set(missing)]))
    found.push(
      ...(yield* select(transactions, ofAccount, { and: sql`remote_id IN (${join(block)})` })),
    );
  return found;
}

function withMargin({ from, to }: DayRange): DayRange {
  return { from: addDays(from, -marginDays), to: addDays(to, marginDays) };
}

/** Returns an entry with the date and the amount that a user gave a transaction, where the bank says nothing new. */
function withChanges(
  row: StoredEntry,
  entry: BankEntry,
  origin: EntryOrigin | undefined,
): BankEntry {
  if (origin === undefined) return entry;
  return {
    ...entry,
    date: entry.date === origin.date ? row.date : entry.date,
    amount: entry.amount === origin.amount ? row.amount : entry.amount,
  };
}

/** Returns a sentence for each of the first entries that were left out, and one for the others. */
function leftOut(account: string, left: EntryPlan['left']): string[] {
  const sentences = left.slice(0, mostListed).map(({ gone: { id, is_deleted }, entry }) => {
    const { date, amount, payee } = entry;
    const why = is_deleted
      ? `deleted transaction ${id}`
      : `moved transaction ${id} to another account`;
    const what = `${date} ${formatAmount(amount === 0 ? 0 : -amount)} ${quote(payee)}`;
    return `The account "${account}" has ${what}, which was left out: you ${why}`;
  });
  const more = left.length - sentences.length;
  return more > 0
    ? [...sentences, `The account "${account}" has ${more} more that were left out`]
    : sentences;
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
  return {
    ...entry,
    id: yield* bulk.nextId(),
    currency,
    to_base: yield* toBase(bookId, entry.amount, currency, entry.date),
    original_name: entry.payee,
    plaid_account_id: id,
    status: 'unreviewed',
    source: 'plaid',
  };
}

/** The columns that follow the bank. Text stays once the transaction is posted, and wherever the user changed it. */
function* columnsOf(
  { bookId }: Change,
  row: StoredEntry,
  { date, amount: sent, payee, is_pending, remote_id, plaid_metadata }: BankEntry,
): Steps<RowUpdate<typeof transactions>> {
  // The parts of a split and the total of a group depend on the amount.
  const amount = row.is_split_parent || row.group_parent_id !== null ? row.amount : sent;
  const isSame = amount === row.amount && date === row.date;
  const followsPayee = row.is_pending && !is_pending && row.payee === row.original_name;
  const isBack = row.status === 'delete_pending';
  return {
    date,
    amount,
    remote_id,
    plaid_metadata,
    to_base: isSame ? row.to_base : yield* toBase(bookId, amount, row.currency, date),
    // A posted transaction never becomes pending again.
    is_pending: row.is_pending && is_pending,
    ...(followsPayee && row.recurring_id === null && { payee }),
    ...(isBack && { status: 'unreviewed' }),
  };
}

function* withdraw(change: Change, rows: readonly StoredEntry[]): Steps<number> {
  const removed: StoredEntry[] = [];
  const marked: StoredEntry[] = [];
  for (const row of rows.filter(({ status }) => status !== 'delete_pending'))
    if (row.is_pending && !(yield* isTouched(change.bookId, row.id))) removed.push(row);
    else marked.push(row);
  yield* removeTransactions(change, removed, { isOfBank: true });
  yield* change.updateAll(transactions, marked, { status: 'delete_pending' });
  return removed.length + marked.length;
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

/** What the bank had said of transactions of an account that a user changed or deleted. */
interface BankOrigins {
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
function* originsOf(
  account: { readonly book_id: number; readonly id: number },
  entries: readonly BankEntry[],
  { from, to }: DayRange,
): Steps<BankOrigins> {
  const found = yield* originsWhere(account, sql`o.date BETWEEN ${from} AND ${to}`);
  for (const block of blocksOf([...new Set(entries.map(({ remote_id }) => remote_id))]))
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
function* noteWord(
  book_id: number,
  transaction_id: number,
  { date, amount, remote_id, is_pending }: BankEntry,
): Steps<void> {
  const word = { date, amount, remote_id, is_pending };
  yield* updateUnlogged(importOrigins, { book_id, transaction_id }, word);
}
