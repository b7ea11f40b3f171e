import { matchRecurring } from '../ledger/recurring/links.ts';
import { rerateRecords } from '../ledger/rerate.ts';
import { manualAccountRecord, plaidAccountRecord } from '../ledger/accounts/record.ts';
import { balanceRecord } from '../ledger/balance-history/record.ts';
import { changing, type Change } from '../book/change.ts';
import { takeLease } from '../book/leases.ts';
import { insertAllUnlogged } from '../book/unlogged.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import type { NewRow, Table, Row } from '../db/table.ts';
import {
  categories,
  tags,
  transactions,
  balanceHistory,
  cryptoAccounts,
  cryptoBalances,
  manualAccounts,
  manualCryptoAccounts,
  plaidAccounts,
  books,
  transactionFiles,
  budgets,
  recurringItems,
  rules,
  exchangeRates,
} from '../db/tables/tables.ts';
import { contentOf, kilobytes } from '../files/content.ts';
import { FileStoreError, newKey, type FileStore } from '../files/store.ts';
import { accountColumns } from '../ledger/balance-history/actions.ts';
import { ratesOf } from '../ledger/currencies/actions.ts';
import { BulkRows } from '../ledger/transactions/writes.ts';
import { noteContent } from '../ledger/transactions/attachments/actions.ts';
import { rerateTransactions, type Place } from '../ledger/transactions/rerate.ts';
import type {
  DemoBook,
  DemoHistory,
  DemoManualAccount,
  DemoFile,
  DemoRule,
  DemoRate,
} from './book/demo-book.ts';

/**
 * Writes a whole demo book into an empty book, all or nothing. Its files go into `files`; without a place for files it
 * has none. Returns what the file store reported if it failed, and then the book has no files either.
 */
export async function fillDemo(
  engine: Engine,
  bookId: number,
  demo: DemoBook,
  files?: FileStore,
): Promise<FileStoreError | null> {
  const { stored, problem } = await storeFiles(files, bookId, demo.files ?? []);
  const cause = { bookId, actor: 'command', operation: 'demo' };
  await engine.write(function* () {
    const isOwnRates = yield* storeRates(demo);
    yield* changing(cause, (change) => fill(change, demo, stored));
    if (!isOwnRates) yield* changing(cause, (change) => rerate(change, demo));
  });
  return problem;
}

function* fill(change: Change, demo: DemoBook, stored: readonly StoredFile[]): Steps<void> {
  const made = madeOf(demo);
  const ids = {
    ...(yield* fillAccounts(change, demo)),
    categories: yield* insertEach(change, categories, demo.categories, (each, before) => {
      const { group, order: sort_order, ...columns } = each;
      return { ...columns, group_id: idAt(before, group), sort_order, ...made };
    }),
    tags: yield* insertEach(change, tags, demo.tags, (each) => ({ ...each, ...made })),
  };
  yield* fillRecurring(change, demo, ids);
  // Rows that fit a recurring item are linked to it.
  const bulk = new BulkRows(change, function* (rows) {
    yield* change.insertAll(transactions, yield* matchRecurring(change, rows));
  });
  const transactionIds = yield* insertTransactions(bulk, demo, ids);
  yield* fillPlans(change, demo, ids);
  yield* fillHistory(change, demo, ids);
  yield* attachFiles(change, stored, transactionIds);
}

function* insertTransactions(
  bulk: BulkRows,
  demo: DemoBook,
  ids: DemoIds,
): Steps<readonly number[]> {
  const transactionIds: number[] = [];
  for (const each of demo.transactions) {
    const id = yield* bulk.nextId();
    transactionIds.push(id);
    const noon = `${each.date}T12:00:00.000Z`;
    const at = demo.madeAt === undefined || noon < demo.madeAt ? noon : demo.madeAt;
    const { category, manualAccount, plaidAccount, ...others } = each;
    const { splitParent, groupParent, tags: tagIndexes, ...columns } = others;
    bulk.add({
      ...columns,
      id,
      category_id: idAt(ids.categories, category),
      manual_account_id: idAt(ids.manualAccounts, manualAccount),
      plaid_account_id: idAt(ids.plaidAccounts, plaidAccount),
      tag_ids: JSON.stringify(tagIndexes.map((index) => idAt(ids.tags, index))),
      split_parent_id: idAt(transactionIds, splitParent),
      group_parent_id: idAt(transactionIds, groupParent),
      created_at: at,
      updated_at: at,
    });
  }
  yield* bulk.flush();
  return transactionIds;
}

/** Inserts the accounts of all kinds and returns their ids. */
function* fillAccounts(change: Change, demo: DemoBook): Steps<AccountIds> {
  const values = yield* valuesOf(demo);
  const [madeAt, made] = [madeAtOf(demo), madeOf(demo)];
  return {
    manualAccounts: yield* insertEach(change, manualAccounts, demo.manualAccounts, (each) => ({
      ...each,
      to_base: values.get(each)!,
      balance_as_of: madeAt,
      status: each.closed_on === undefined ? 'active' : 'closed',
      closed_on: each.closed_on ?? null,
      created_by_name: linkedBy,
      ...made,
    })),
    plaidAccounts: yield* insertEach(change, plaidAccounts, demo.plaidAccounts, (each) => ({
      ...each,
      to_base: values.get(each)!,
      linked_by_name: linkedBy,
      date_linked: madeAt.slice(0, 10),
      balance_last_update: madeAt,
    })),
    ...(yield* fillCrypto(change, demo)),
  };
}

/** The values of the balances in the primary currency; 0 without a rate. */
function* valuesOf(demo: DemoBook) {
  const { manualAccounts, plaidAccounts, primaryCurrency } = demo;
  const day = madeAtOf(demo).slice(0, 10);
  const rates = yield* ratesOf();
  const values = new Map<DemoManualAccount, number>();
  for (const each of [...manualAccounts, ...plaidAccounts]) {
    const { balance, currency } = each;
    const value = yield* rates.convert(balance, currency, primaryCurrency, day);
    values.set(each, value ?? 0);
  }
  return values;
}

function* fillCrypto(change: Change, demo: DemoBook) {
  const { manualCrypto = [], syncedCrypto = [] } = demo;
  const [madeAt, made] = [madeAtOf(demo), madeOf(demo)];
  const ids = {
    manualCrypto: yield* insertEach(change, manualCryptoAccounts, manualCrypto, (each) => ({
      ...each,
      price_as_of: madeAt,
      balance_as_of: madeAt,
      created_by_name: linkedBy,
      ...made,
    })),
    syncedCrypto: yield* insertEach(change, cryptoAccounts, syncedCrypto, (each) => ({
      provider: each.provider,
      // As after a restore: without credentials it must be linked again.
      status: 'relink' as const,
      display_name: each.display_name,
      sealed_credentials: Buffer.of(0),
      created_by_name: linkedBy,
      last_import: madeAt,
      ...made,
    })),
  };
  const balances = syncedCrypto.flatMap((each, at) =>
    each.balances.map((balance) => ({
      ...balance,
      account_id: ids.syncedCrypto[at]!,
      price_as_of: madeAt,
      read_at: madeAt,
    })),
  );
  yield* change.insertAll(cryptoBalances, balances);
  return ids;
}

/** Inserts the balances of past months. */
function* fillHistory(change: Change, { history = [] }: DemoBook, ids: AccountIds): Steps<void> {
  const idsOf = {
    manual: ids.manualAccounts,
    plaid: ids.plaidAccounts,
    crypto_manual: ids.manualCrypto,
    crypto_synced: ids.syncedCrypto,
  } satisfies Record<DemoHistory['kind'], readonly number[]>;
  for (const { kind, account, symbol, quantity: crypto_balance, ...columns } of history)
    yield* change.insert(balanceHistory, {
      ...accountColumns(kind, idsOf[kind][account]!, symbol),
      ...columns,
      crypto_balance,
    });
}

/** The creation time of all records, so that the demo book is always the same. */
function madeAtOf({ madeAt = '2026-11-01T12:00:00.000Z' }: DemoBook): string {
  return madeAt;
}

function madeOf(demo: DemoBook): { readonly created_at: string; readonly updated_at: string } {
  return { created_at: madeAtOf(demo), updated_at: madeAtOf(demo) };
}

/** The name of the user. */
const linkedBy = 'Demo';

/** The ids of the accounts of a demo book in the database, by their index in the demo book. */
interface AccountIds {
  readonly manualAccounts: readonly number[];
  readonly plaidAccounts: readonly number[];
  readonly manualCrypto: readonly number[];
  readonly syncedCrypto: readonly number[];
}

/** The ids of the records that others refer to, by their index in the demo book. */
export interface DemoIds extends AccountIds {
  readonly categories: readonly number[];
  readonly tags: readonly number[];
}

/** Inserts records one after the other and returns their ids. A record may refer to those before it. */
function* insertEach<R, T extends Table<'book'>>(
  change: Change,
  table: T,
  records: readonly R[],
  toRow: (record: R, idsBefore: readonly number[]) => NewRow<T>,
): Steps<number[]> {
  const ids: number[] = [];
  for (const record of records) {
    const inserted = yield* change.insert(table, toRow(record, ids));
    ids.push(inserted['id'] as number);
  }
  return ids;
}

/** Returns the id of a record by its index, or null for none. */
function idAt(ids: readonly number[], index: number | null): number | null {
  return index === null ? null : (ids[index] ?? null);
}

/** A file whose bytes are in the file store. */
interface StoredFile {
  readonly file: DemoFile;
  readonly key: string;
}

/** The files that were stored: all of them, or none because of a problem. */
interface StoredFiles {
  readonly stored: readonly StoredFile[];
  readonly problem: FileStoreError | null;
}

/**
 * Stores the bytes of files of a book, before the records that refer to them. The service deletes what no record refers
 * to.
 */
async function storeFiles(
  store: FileStore | undefined,
  bookId: number,
  files: readonly DemoFile[],
): Promise<StoredFiles> {
  const stored: StoredFile[] = [];
  try {
    for (const file of store === undefined ? [] : files) {
      const key = newKey(bookId);
      await store!.write(key, file.bytes);
      stored.push({ file, key });
    }
  } catch (error) {
    if (error instanceof FileStoreError) return { stored: [], problem: error };
    throw error;
  }
  return { stored, problem: null };
}

/** Attaches stored files to transactions, on the days of these. */
function* attachFiles(
  change: Change,
  stored: readonly StoredFile[],
  transactionIds: readonly number[],
): Steps<void> {
  const { bookId: book_id } = change;
  const book = yield* find(books, { id: book_id });
  for (const { file, key } of stored) {
    const id = transactionIds[file.transaction]!;
    const transaction = yield* find(transactions, { book_id, id });
    const content = contentOf(file.bytes);
    yield* noteContent(book_id, key, content);
    yield* change.insert(transactionFiles, {
      transaction_id: id,
      uploaded_by: book!.user_id,
      name: file.name,
      type: 'application/pdf',
      size: kilobytes(content.bytes),
      notes: file.notes,
      created_at: transaction!.created_at,
      storage_key: key,
    });
  }
}

/** Inserts the recurring items. Transactions that are inserted later can be linked to them. */
function* fillRecurring(change: Change, demo: DemoBook, ids: DemoIds): Steps<void> {
  const [items, made] = [demo.recurringItems ?? [], madeOf(demo)];
  const book = yield* find(books, { id: change.bookId });
  yield* insertEach(change, recurringItems, items, (each) => {
    const { manualAccount, plaidAccount, overrideCategory, ...columns } = each;
    return {
      ...columns,
      start_date: each.anchor_date,
      end_date: null,
      granularity: 'month' as const,
      quantity: 1,
      to_base: each.amount,
      manual_account_id: idAt(ids.manualAccounts, manualAccount),
      plaid_account_id: idAt(ids.plaidAccounts, plaidAccount),
      override_category_id: idAt(ids.categories, overrideCategory),
      created_by: book!.user_id,
      ...made,
    };
  });
}

/** Inserts the budgets and the rules. */
function* fillPlans(change: Change, demo: DemoBook, ids: DemoIds): Steps<void> {
  const made = madeOf(demo);
  const all = (demo.budgets ?? []).map(({ category, ...columns }) => ({
    ...columns,
    category_id: ids.categories[category]!,
    currency: demo.primaryCurrency,
    to_base: columns.amount,
  }));
  yield* change.insertAll(budgets, all);
  yield* insertEach(change, rules, demo.rules ?? [], (rule, before) => ({
    position: before.length + 1,
    name: rule.name,
    stop: false,
    conditions: storedText(conditionsOf(rule, ids)),
    actions: storedText(actionsOf(rule, ids)),
    ...made,
  }));
}

function conditionsOf({ payee, amount, plaidAccount }: DemoRule, ids: DemoIds) {
  const plaid = plaidAccount === undefined ? undefined : ids.plaidAccounts[plaidAccount];
  return { amount, payee, plaid_account_id: plaid };
}

function actionsOf({ newPayee, newCategory, newTags, reviewed }: DemoRule, ids: DemoIds) {
  return {
    category_id: newCategory === undefined ? undefined : ids.categories[newCategory],
    payee: newPayee,
    reviewed,
    tag_ids: newTags?.map((tag) => ids.tags[tag]),
  };
}

/** The keys are in the order in which rules are stored; what is undefined is left out. */
function storedText(value: object): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part !== 'object' || part === null || Array.isArray(part)
      ? part
      : Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
}

type RateRow = Row<typeof exchangeRates>;

/**
 * Stores the rates of the currencies for which the database has none in these days. Returns whether the database now
 * has these rates alone; if not, records have to get their values at the rates of the database.
 */
function* storeRates(demo: DemoBook): Steps<boolean> {
  const { rates = [] } = demo;
  if (rates.length === 0) return true;
  // Others who store rates wait until this transaction ends.
  yield* takeLease('rates', 'rates', 0);
  let isAlone = true;
  for (const [currency, series] of Map.groupBy(rates, (rate) => rate.currency)) {
    const known = yield* ratesOfDays(currency, series);
    if (known.length === 0) yield* insertSeries(series, madeAtOf(demo));
    else if (!isSame(known, series)) isAlone = false;
  }
  return isAlone;
}

/** Returns the stored rates of a currency from the first to the last of the dates, which ascend. */
function* ratesOfDays(currency: string, series: readonly DemoRate[]): Steps<RateRow[]> {
  const [first = '', last = ''] = [series[0]?.date, series.at(-1)?.date];
  const all = yield* select(exchangeRates, { currency });
  return all.filter(({ date }) => date >= first && date <= last);
}

function* insertSeries(series: readonly DemoRate[], read_at: string): Steps<void> {
  const rows = series.map((rate) => ({ ...rate, source: 'file' as const, read_at }));
  yield* insertAllUnlogged(exchangeRates, rows);
}

function isSame(known: readonly RateRow[], series: readonly DemoRate[]): boolean {
  const rates = new Map(known.map(({ date, per_eur }) => [date, per_eur]));
  return (
    rates.size === series.length && series.every((each) => rates.get(each.date) === each.per_eur)
  );
}

/** Gives the records of a demo book their values at the rates of the database, as an import of rates does. */
function* rerate(change: Change, { rates = [], primaryCurrency }: DemoBook): Steps<void> {
  const since = rates.reduce((first, { date }) => (date < first ? date : first), '9999-12-31');
  const rating = { rates: yield* ratesOf(), primaryCurrency, since };
  yield* rerateRecords(change, rating, [manualAccountRecord, plaidAccountRecord, balanceRecord]);
  let after: Place | null = null;
  do after = (yield* rerateTransactions(change, rating, after)).last;
  while (after !== null);
}
