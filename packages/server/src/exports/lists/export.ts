import { setImmediate } from 'node:timers/promises';
import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { EarlierRows, changedSince } from '../../book/as-of.ts';
import { now } from '../../db/engine.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { integer, nullable, text } from '../../db/table.ts';
import type { BookTable, Row, Values } from '../../db/table.ts';
import {
  transactions,
  balanceHistory,
  budgets,
  budgetSettings,
  connections,
  cryptoAccounts,
  cryptoBalances,
  deletedAccounts,
  manualCryptoAccounts,
  recurringItems,
  rules,
  transactionFiles,
  categories,
  manualAccounts,
  plaidAccounts,
  tags,
} from '../../db/tables/tables.ts';
import { element } from '../../pages/pages.ts';
import { toWire } from '../../ledger/categories/rules.ts';
import type { Category } from '../../ledger/categories/schema.ts';
import { accountToWire } from '../../sync/crypto/rules.ts';
import type { SyncedCryptoAccount } from '../../sync/crypto/schema.ts';
import { bookOf } from '../../identity/users/actions.ts';
import type { Book } from '../../operations/caller.ts';
import { versionAsOf } from '../../ledger/transactions/earlier/version.ts';
import { withEarlier } from '../../ledger/transactions/earlier/render.ts';
import { readLong, VersionRows } from './version-rows.ts';
import type { RowsOf, Start, Stretch } from './version-rows.ts';

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
  /** Every transaction by id, ascending, with pending rows, split parents and group members. It can be read once. */
  readonly transactions: AsyncIterable<ExportedTransaction>;
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
 * name and the currency of the book are always the present ones.
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
  return { ...rest, transactions: transactionsOf(engine, start, exportNames(rest)) };
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
  budget: budgets,
  deleted_account: deletedAccounts,
  balance_history: balanceHistory,
  transaction_file: transactionFiles,
};

const exportedTables: readonly BookTable[] = [
  transactions,
  manualAccounts,
  plaidAccounts,
  categories,
  tags,
  cryptoAccounts,
  cryptoBalances,
  ...Object.values(otherTables),
];

function* readRecords(bookId: number, rowsOf: RowsOf): Steps<ExportedRecords> {
  const balances = yield* rowsOf(cryptoBalances).all();
  const others = new Map<string, readonly Values[]>();
  for (const [kind, table] of Object.entries(otherTables))
    others.set(kind, yield* rowsOf(table).all());
  const ofAccount = Map.groupBy(balances, ({ account_id }) => account_id);
  return {
    book: yield* bookOf(bookId),
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

async function* transactionsOf(
  engine: Engine,
  start: Start,
  names: ExportNames,
): AsyncGenerator<ExportedTransaction, void, undefined> {
  const rows = new VersionRows(engine, start);
  const read = (stretch: Stretch, at: RowsOf) => readStretch(start.bookId, stretch, at);
  for await (const batch of rows.batchesOf(transactions, read)) {
    for (const row of batch) yield named(row, names);
    // SQLite reads without waiting, and a fast reader never waits either: others have their turn here.
    await setImmediate();
  }
}

/** One transaction of an export, with the names of its category, account and tags. */
export interface ExportedTransaction {
  readonly date: string;
  /** Ten-thousandths, debit positive. */
  readonly amount: number;
  readonly currency: string;
  readonly payee: string;
  readonly notes: string | null;
  readonly categoryName: string | null;
  readonly accountName: string | null;
  readonly externalId: string | null;
  readonly tagNames: readonly string[];
  readonly status: string;
  readonly id: number;
  /** The row with metadata as the API returns it (JSON). */
  readonly json: string;
}

/** The names of records by id. */
interface ExportNames {
  readonly categories: ReadonlyMap<number, string>;
  readonly manual: ReadonlyMap<number, string>;
  readonly plaid: ReadonlyMap<number, string>;
  readonly tags: ReadonlyMap<number, string>;
}

interface Account {
  readonly id: number;
  readonly name: string;
  readonly display_name: string | null;
}

/** Returns the names of an export's records. An account has its display name, if there is one. */
function exportNames(records: {
  readonly categories: readonly Category[];
  readonly manualAccounts: readonly Account[];
  readonly plaidAccounts: readonly Account[];
  readonly tags: readonly { readonly id: number; readonly name: string }[];
}): ExportNames {
  const shown = ({ id, name, display_name }: Account) => [id, display_name ?? name] as const;
  return {
    categories: new Map(records.categories.map(({ id, name }) => [id, name])),
    manual: new Map(records.manualAccounts.map(shown)),
    plaid: new Map(records.plaidAccounts.map(shown)),
    tags: new Map(records.tags.map(({ id, name }) => [id, name])),
  };
}

/** Reads transactions by id: those that were changed since as they were, the others as they are. */
function* readStretch(
  bookId: number,
  { after, upTo, changed }: Stretch,
  at: RowsOf,
): Steps<readonly BatchRow[]> {
  const rows = at(transactions);
  const present = yield* selectRows(
    sql`SELECT ${columns} FROM transactions t
      WHERE t.book_id = ${bookId} AND t.id > ${after} AND t.id <= ${upTo} ORDER BY t.id`,
  );
  const earlier = yield* rows.withIds(changed);
  const rebuilt =
    earlier.length === 0
      ? []
      : yield* selectRows(
          sql`${yield* withEarlier(earlier)} SELECT ${columns} FROM earlier_transactions t`,
        );
  const same = present.filter(({ id }) => !rows.changed.has(id));
  return [...same, ...rebuilt].toSorted((a, b) => a.id - b.id);
}

const shape = {
  id: integer,
  date: text,
  amount: integer,
  currency: text,
  payee: text,
  notes: nullable(text),
  status: text,
  external_id: nullable(text),
  category_id: nullable(integer),
  manual_account_id: nullable(integer),
  plaid_account_id: nullable(integer),
  tag_ids: text,
  json: text,
};

type BatchRow = ReturnType<typeof rowsAs<typeof shape>> extends Steps<(infer R)[]> ? R : never;

const columns = sql`t.id, t.date, t.amount, t.currency, t.payee, t.notes, t.status, t.external_id,
  t.category_id, t.manual_account_id, t.plaid_account_id, t.tag_ids,
  ${element({ include_metadata: true, include_files: false, include_children: false })} AS json`;

function* selectRows(statement: Sql): Steps<BatchRow[]> {
  return yield* rowsAs(shape, statement);
}

function named(row: BatchRow, names: ExportNames): ExportedTransaction {
  const { category_id, manual_account_id, plaid_account_id, tag_ids, external_id, ...same } = row;
  const nameOf = (all: ReadonlyMap<number, string>, id: number | null): string | null =>
    (id === null ? null : all.get(id)) ?? null;
  const tagIds = (JSON.parse(tag_ids) as number[]).toSorted((a, b) => a - b);
  return {
    ...same,
    externalId: external_id,
    categoryName: nameOf(names.categories, category_id),
    accountName: nameOf(names.manual, manual_account_id) ?? nameOf(names.plaid, plaid_account_id),
    tagNames: [...new Set(tagIds)].flatMap((id) => names.tags.get(id) ?? []),
  };
}
