import { setImmediate } from 'node:timers/promises';
import sql, { type Sql } from 'sql-template-tag';
import { EarlierRows, changedSince } from '../../book/as-of.ts';
import { dialectOf, joined, now, type Engine, type Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { integer, type BookTable, type Row, type Values } from '../../db/table.ts';
import {
  transactions,
  balanceAnchors,
  balanceHistory,
  bookSettings,
  budgets,
  budgetSettings,
  categorySettings,
  connections,
  cryptoAccounts,
  cryptoBalances,
  deletedAccounts,
  manualCryptoAccounts,
  recurringItems,
  rules,
  transactionFiles,
  transfers,
  categories,
  manualAccounts,
  plaidAccounts,
  tags,
} from '../../db/tables/tables.ts';
import { withMetadataBehind } from '../../pages/pages.ts';
import { toWire } from '../../ledger/categories/rules.ts';
import type { Category } from '../../ledger/categories/schema.ts';
import { accountToWire } from '../../sync/crypto/rules.ts';
import type { SyncedCryptoAccount } from '../../sync/crypto/schema.ts';
import type { Book } from '../../operations/caller.ts';
import { versionAsOf } from '../../ledger/transactions/earlier/version.ts';
import { withEarlier } from '../../ledger/transactions/earlier/render.ts';
import { bookAt, readLong, VersionRows } from './version-rows.ts';
import type { RowsOf, Start, Stretch } from './version-rows.ts';
import { rowSeparator } from './wire-rows.ts';

/** All records of a book except transactions. */
interface ExportedRecords {
  readonly book: Book;
  readonly manualAccounts: readonly Row<typeof manualAccounts>[];
  readonly plaidAccounts: readonly Row<typeof plaidAccounts>[];
  readonly categories: readonly Category[];
  readonly tags: readonly Row<typeof tags>[];
  /** With their balances, without their credentials. */
  readonly cryptoAccounts: readonly SyncedCryptoAccount[];
  /** The rows of all other tables, by the kind of their records. */
  readonly others: ReadonlyMap<string, readonly Values[]>;
}

/** A whole book at one version. Amounts are ten-thousandths, debit positive. */
export interface BookExport extends ExportedRecords {
  /** When the export began: ISO 8601 in UTC. */
  readonly startedAt: string;
  /**
   * Yields every transaction by id, ascending, with pending rows, split parents and group members, in blocks of the
   * JSON that the database stores: see {@link rowSeparator}. With metadata, a line follows the JSON of each
   * transaction: the keys of its metadata, which belong before the closing brace. The next block may overwrite it.
   */
  readonly transactions: (options: {
    readonly withMetadata: boolean;
  }) => AsyncGenerator<Buffer, void, undefined>;
}

/** What of a book is exported. */
interface ExportOptions {
  /** A version, a date or a date-time as in `versionAsOf`: the book as it was. Default: the present book. */
  readonly asOf?: string | undefined;
}

/**
 * Reads a whole book as it is at one version, without a transaction that lasts as long as its reader: all records
 * except transactions at once, and those in batches, each in a short transaction of its own. A later batch has the rows
 * that were changed meanwhile as they were, from the change log. So a slow reader holds neither a snapshot nor a
 * connection, and only a batch is in memory.
 *
 * Rejects with a Problem if the book did not have that version, or if its changes since were pruned. The transactions
 * end with such a Problem if they are pruned while they are read, and with NoSuchBookError if the book is deleted. The
 * name of the book is always the present one.
 */
export async function exportBook(
  engine: Engine,
  bookId: number,
  { asOf }: ExportOptions = {},
): Promise<BookExport> {
  const steps = () => begin(bookId, asOf);
  const { start, ...rest } = await (asOf === undefined
    ? engine.read(steps)
    : readLong(engine, steps));
  return { ...rest, transactions: (options) => blocksOf(engine, start, options) };
}

type Begun = ExportedRecords & { readonly startedAt: string; readonly start: Start };

function* begin(bookId: number, asOf: string | undefined): Steps<Begun> {
  const { version, current } = yield* versionAsOf(bookId, asOf);
  const changed = yield* changedSince<BookTable>(bookId, version, exportedTables);
  const records = yield* readRecords(bookId, (table) => {
    return new EarlierRows(table, bookId, version, changed.get(table)!);
  });
  const begun = { upTo: current, ids: new Map([[transactions, changed.get(transactions)!]]) };
  return { ...records, startedAt: yield* now(), start: { bookId, version, begun } };
}

/** Tables whose records are exported as they are stored, by the names of their kinds. */
const otherTables: Readonly<Record<string, BookTable>> = {
  connection: connections,
  crypto_manual_account: manualCryptoAccounts,
  recurring_item: recurringItems,
  rule: rules,
  budget_settings: budgetSettings,
  category_settings: categorySettings,
  budget: budgets,
  deleted_account: deletedAccounts,
  balance_history: balanceHistory,
  balance_anchor: balanceAnchors,
  transaction_file: transactionFiles,
  transfer: transfers,
};

const exportedTables: readonly BookTable[] = [
  transactions,
  manualAccounts,
  plaidAccounts,
  categories,
  tags,
  cryptoAccounts,
  cryptoBalances,
  bookSettings,
  ...Object.values(otherTables),
];

function* readRecords(bookId: number, rowsOf: RowsOf): Steps<ExportedRecords> {
  const balances = yield* rowsOf(cryptoBalances).all();
  const others = new Map<string, readonly Values[]>();
  for (const [kind, table] of Object.entries(otherTables))
    others.set(kind, yield* rowsOf(table).all());
  const ofAccount = Map.groupBy(balances, ({ account_id }) => account_id);
  return {
    book: yield* bookAt(bookId, rowsOf),
    manualAccounts: yield* rowsOf(manualAccounts).all(),
    plaidAccounts: yield* rowsOf(plaidAccounts).all(),
    categories: (yield* rowsOf(categories).all()).map(toWire),
    tags: yield* rowsOf(tags).all(),
    cryptoAccounts: (yield* rowsOf(cryptoAccounts).all()).map((account) =>
      accountToWire(account, ofAccount.get(account.id) ?? []),
    ),
    others,
  };
}

async function* blocksOf(
  engine: Engine,
  start: Start,
  { withMetadata }: { readonly withMetadata: boolean },
): AsyncGenerator<Buffer, void, undefined> {
  const rows = new VersionRows(engine, start);
  const json = withMetadata ? withMetadataBehind() : sql`t.json`;
  let spare: Buffer | undefined;
  const read = function* (stretch: Stretch, at: RowsOf): Steps<Buffer> {
    const statement = yield* selectStretch(start.bookId, json, stretch, at);
    return yield* joined(statement, { separator: rowSeparator, spare });
  };
  for await (const block of rows.batchesOf(transactions, read)) {
    if (block.length > 0) yield (spare = block);
    // SQLite reads without waiting, and a fast reader never waits either: others have their turn here.
    await setImmediate();
  }
}

/** Returns a SELECT of transactions by id: those that were changed since as they were, the others as they are. */
function* selectStretch(bookId: number, json: Sql, stretch: Stretch, at: RowsOf): Steps<Sql> {
  const { after, upTo, changed } = stretch;
  const rows = at(transactions);
  const isMade = rows.changed.made.some((made) => made.lastId > after && made.firstId <= upTo);
  const range = sql`t.book_id = ${bookId} AND t.id > ${after} AND t.id <= ${upTo}`;
  const present = sql`SELECT ${json} AS json FROM transactions t WHERE ${range}`;
  if (!isMade && changed.length === 0) return sql`${present} ORDER BY t.id`;
  const ids = yield* rowsAs({ id: integer }, sql`SELECT id FROM transactions t WHERE ${range}`);
  const others = JSON.stringify(ids.filter(({ id }) => rows.changed.has(id)));
  const { rowsOfJson } = yield* dialectOf();
  return sql`${yield* withEarlier(yield* rows.withIds(changed))},
    others AS MATERIALIZED (${rowsOfJson(others, { id: integer })})
    SELECT json FROM (
      SELECT t.id AS id, ${json} AS json FROM transactions t
        WHERE ${range} AND t.id NOT IN (SELECT id FROM others)
      UNION ALL SELECT t.id AS id, ${json} AS json FROM earlier_transactions t
    ) both_kinds ORDER BY id`;
}
