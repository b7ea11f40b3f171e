import { keepBalances, moveBalances } from '../accounts/actions.ts';
import type { BalanceMove, ReadAccounts } from '../accounts/actions.ts';
import { isDeepStrictEqual } from 'node:util';
import sql, { join, raw } from 'sql-template-tag';
import type { Change, RecordUpdate } from '../../book/change.ts';
import { blocksOf, padded } from '../../db/blocks.ts';
import { idBlock } from '../../db/dialect.ts';
import { dialectOf, type Steps } from '../../db/engine.ts';
import { forgetOrigins, storeOrigins } from '../../db/import-origins.ts';
import { rowAs, select, columnList, rowsAs } from '../../db/rows.ts';
import { integer, type NewRow, type Row, type RowUpdate } from '../../db/table.ts';
import { transactionFiles, transactions, transfers } from '../../db/tables/tables.ts';

/** The columns of a new transaction; amounts in ten-thousandths, debit positive. */
export type NewTransaction = NewRow<typeof transactions>;

/** Writes many transactions in one change, {@link idBlock} at a time. */
export class BulkRows {
  readonly #insert: (rows: readonly NewTransaction[]) => Steps<void>;
  #batch: NewTransaction[] = [];
  #nextId = 0;
  #idEnd = 0;
  /** The first id of this write; existing rows have smaller ids. */
  firstId = Number.MAX_SAFE_INTEGER;

  /** `insert` writes the rows; by default as they are, and without balances. */
  constructor(
    change: Change,
    insert = (rows: readonly NewTransaction[]): Steps<void> => change.insertAll(transactions, rows),
  ) {
    this.#insert = insert;
  }

  /** Returns a new id. Ids grow in the order of the calls and are never reused. */
  *nextId(): Steps<number> {
    if (this.#nextId === this.#idEnd) {
      const reserved = yield* rowAs({ first: integer }, (yield* dialectOf()).reserveIds);
      if (reserved === undefined) throw new Error('The sequence of transaction ids is missing');
      this.#nextId = reserved.first;
      this.#idEnd = this.#nextId + idBlock;
      this.firstId = Math.min(this.firstId, this.#nextId);
      // Only now: an engine may write these rows while the next ones are prepared, until it waits for a result.
      yield* this.flush();
    }
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  /** Keeps a row until the next ids are reserved. All rows have the same columns. */
  add(transaction: NewTransaction): void {
    this.#batch.push(transaction);
  }

  /** Writes the kept rows; call it at the end, and before a statement that must see every added row. */
  *flush(): Steps<void> {
    const batch = this.#batch;
    this.#batch = [];
    if (batch.length > 0) yield* this.#insert(batch);
  }
}

export type TransactionRow = Row<typeof transactions>;

/** How a write of transactions affects their manual accounts. */
export interface BalanceOptions {
  /** Leaves the balances of manual accounts as they are. */
  readonly skipBalanceUpdate?: boolean;
  /** Whether the caller moves the balances later. */
  readonly isBalanceLater?: boolean;
  readonly accounts?: ReadAccounts;
}

/** How a write changes or removes transactions. */
export interface WriteOptions extends BalanceOptions {
  /** Whether a file or a bank says so, and no user: then what it had said before is not kept. */
  readonly isOfBank?: boolean;
}

/** Inserts transactions with ids and the same columns, and moves the balances of their manual accounts. */
export function* insertTransactions(
  change: Change,
  rows: readonly NewTransaction[],
  options: BalanceOptions = {},
): Steps<void> {
  yield* change.insertAll(transactions, rows);
  yield* moveOrKeep(change, () => rows.flatMap(movesOf), options);
}

/** Moves the balances, or leaves them as they are, as the options say. */
function* moveOrKeep(
  change: Change,
  moves: () => readonly BalanceMove[],
  { skipBalanceUpdate = false, isBalanceLater = false, accounts }: BalanceOptions,
): Steps<void> {
  if (isBalanceLater) return;
  if (skipBalanceUpdate) yield* keepBalances(change, moves());
  else yield* moveBalances(change, moves(), { accounts });
}

/** New columns of one transaction. */
export interface TransactionUpdate {
  readonly before: TransactionRow;
  readonly columns: RowUpdate<typeof transactions>;
}

/**
 * Sets columns of transactions, and moves the balances of their manual accounts by what changed. `updated_at` always
 * moves. Returns the changed rows in the order of the updates, which must not repeat a transaction.
 */
export function* updateTransactions(
  change: Change,
  updates: readonly TransactionUpdate[],
  { isOfBank = false, ...options }: WriteOptions = {},
): Steps<TransactionRow[]> {
  const afterById = new Map<number, TransactionRow>();
  const different = updates.map(({ before, columns }) => ({
    before,
    values: differing(before, columns),
  }));
  const moved = different.filter(({ values }) => originColumns.some((name) => name in values));
  const movedIds = moved.map(({ before }) => before.id);
  yield* (isOfBank ? forgetOrigins : storeOrigins)(change.bookId, movedIds);
  for (const alike of Map.groupBy(different, ({ values }) => Object.keys(values).join()).values())
    for (const row of yield* updateAlike(change, alike)) afterById.set(row.id, row);
  const all = updates.map(({ before }) => afterById.get(before.id)!);
  const moves = () => updates.flatMap(({ before }, index) => movesBetween(before, all[index]!));
  yield* moveOrKeep(change, moves, options);
  return all;
}

/** Removes transactions with their files and transfers, and moves the balances of their manual accounts back. */
export function* removeTransactions(
  change: Change,
  rows: readonly TransactionRow[],
  { isOfBank = false, ...options }: WriteOptions = {},
): Steps<void> {
  const ids = rows.map(({ id }) => id);
  if (!isOfBank) yield* storeOrigins(change.bookId, ids);
  yield* removePartsOf(change, ids);
  yield* change.removeAll(transactions, rows);
  yield* moveOrKeep(change, () => rows.flatMap(movesOf).map(reversed), options);
}

/** {@link removeTransactions} by ascending ids, with set statements. `moves` are those of all of them. */
export function* removeTransactionSet(
  change: Change,
  ids: readonly number[],
  moves: readonly BalanceMove[],
): Steps<void> {
  yield* storeOrigins(change.bookId, ids);
  yield* removePartsOf(change, ids);
  yield* change.removeSet(transactions, ids);
  yield* moveBalances(change, moves.map(reversed));
}

/** Removes the files and the transfers of transactions that are going to be removed. */
export function* removePartsOf(change: Change, ids: readonly number[]): Steps<void> {
  for (const block of blocksOf(ids)) {
    const and = sql`transaction_id IN (${join(padded(block, block[0]!))})`;
    const files = yield* select(transactionFiles, { book_id: change.bookId }, { and });
    yield* change.removeAll(transactionFiles, files);
    yield* change.removeAll(transfers, yield* pairsOf(change.bookId, block));
  }
}

/** Returns the pairs with one of some transactions, at most a block of ids: also pairs that do not count. */
export function* pairsOf(bookId: number, ids: readonly number[]): Steps<Row<typeof transfers>[]> {
  if (ids.length === 0) return [];
  const some = join(padded(ids, ids[0]!));
  const ofColumn = (column: string) =>
    sql`SELECT ${columnList(transfers)} FROM transfers WHERE book_id = ${bookId} AND ${raw(column)} IN (${some})`;
  return yield* rowsAs(
    transfers.columns,
    sql`${ofColumn('sent_id')} UNION ${ofColumn('received_id')} ORDER BY id`,
  );
}

/** By what a file or a bank finds a transaction again, and the import that posts a pending one. */
const originColumns = [
  ...(['date', 'amount', 'currency'] as const),
  ...(['manual_account_id', 'plaid_account_id', 'import_id'] as const),
];

type Update = RecordUpdate<typeof transactions>;

/** {@link updateTransactions} by ascending ids, alike, with set statements. The caller moves the balances. */
export function* updateTransactionSet(
  change: Change,
  ids: readonly number[],
  columns: RowUpdate<typeof transactions>,
): Steps<void> {
  if (originColumns.some((name) => name in columns)) yield* storeOrigins(change.bookId, ids);
  yield* change.updateSet(transactions, ids, columns);
}

/** The columns that change, in the order of the table. */
function differing(
  before: TransactionRow,
  columns: TransactionUpdate['columns'],
): Update['values'] {
  const names = Object.keys(before) as (keyof TransactionRow)[];
  const given: Partial<TransactionRow> = columns;
  const changed = names.filter((name) => given[name] !== undefined && given[name] !== before[name]);
  return Object.fromEntries(changed.map((name) => [name, given[name]]));
}

/** Updates rows that get the same columns. One list of values is enough if the values are the same, too. */
function* updateAlike(change: Change, updates: readonly Update[]): Steps<TransactionRow[]> {
  const [first] = updates.map(({ values }) => values);
  const hasOneValue = updates.every(({ values }) => isDeepStrictEqual(values, first));
  if (!hasOneValue) return yield* change.updateEach(transactions, updates);
  const rows = updates.map(({ before }) => before);
  return yield* change.updateAll(transactions, rows, first!, { evenIfEqual: true });
}

/** The moves that replace one state of a transaction by another; none if balances do not depend on the change. */
export function movesBetween(before: TransactionRow, after: TransactionRow): BalanceMove[] {
  const [from, to] = [movesOf(before), movesOf(after)];
  return isDeepStrictEqual(from, to) ? [] : [...from.map(reversed), ...to];
}

/** The move of a transaction: none without a manual account, while pending, for groups, and for parts of a split. */
export function movesOf(row: NewTransaction | TransactionRow): BalanceMove[] {
  const { manual_account_id: accountId = null, split_parent_id = null } = row;
  const isIgnored =
    row.is_pending === true || row.is_group_parent === true || split_parent_id !== null;
  if (accountId === null || isIgnored) return [];
  return [{ accountId, amount: row.amount, currency: row.currency, date: row.date }];
}

function reversed(move: BalanceMove): BalanceMove {
  return { ...move, amount: -move.amount };
}
