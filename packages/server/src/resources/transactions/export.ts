import { changedSince, EarlierRows } from '../../changes/as-of.ts';
import { Emit } from '../../db/engine.ts';
import type { Engine, Step, Steps } from '../../db/engine.ts';
import type { BookTable, Row } from '../../db/table.ts';
import { cryptoAccounts, cryptoBalances } from '../../db/tables.ts';
import { categories, manualAccounts, plaidAccounts, tags, transactions } from '../../db/tables.ts';
import { toWire } from '../categories/rules.ts';
import type { Category } from '../categories/schema.ts';
import { accountToWire } from '../crypto/rules.ts';
import type { SyncedCryptoAccount } from '../crypto/schema.ts';
import { bookOf } from '../users/actions.ts';
import type { Book } from '../users/identity.ts';
import { exportNames, readBatch } from './export-batch.ts';
import type { ExportBatch, ExportedTransaction } from './export-batch.ts';
import { versionAsOf } from './earlier/version.ts';

export type { ExportedTransaction } from './export-batch.ts';

/** All records of a book except transactions. */
export interface ExportedRecords {
  readonly book: Book;
  readonly manualAccounts: readonly Row<typeof manualAccounts>[];
  readonly plaidAccounts: readonly Row<typeof plaidAccounts>[];
  readonly categories: readonly Category[];
  readonly tags: readonly Row<typeof tags>[];
  /** With their balances, without their credentials. */
  readonly cryptoAccounts: readonly SyncedCryptoAccount[];
}

/** A whole book from one snapshot. Amounts are ten-thousandths, debit positive. */
export interface BookExport extends ExportedRecords {
  /** Every transaction by id, ascending, with pending rows, split parents and group members. It can be read once. */
  readonly transactions: AsyncIterable<ExportedTransaction>;
}

/** What of a book is exported. */
export interface ExportOptions {
  /** A version, a date or a date-time as in `versionAsOf`: the book as it was. Default: the present book. */
  readonly asOf?: string;
}

/**
 * Reads a whole book; its transactions are read in batches. Rejects with a Problem if the book did not have that
 * version, or if its changes since were pruned. The name and the currency of the book are always the present ones.
 */
export async function exportBook(
  engine: Engine,
  bookId: number,
  { asOf }: ExportOptions = {},
): Promise<BookExport> {
  const parts = engine.stream(() => readBook(bookId, asOf))[Symbol.asyncIterator]();
  const first = await parts.next();
  if (first.done === true) throw new Error(`The export of book ${bookId} is empty`);
  const transactions = {
    [Symbol.asyncIterator]: () => parts,
  } as AsyncIterable<ExportedTransaction>;
  return { ...(first.value as ExportedRecords), transactions };
}

type ExportPart = ExportedRecords | ExportedTransaction;

function* readBook(
  bookId: number,
  asOf: string | undefined,
): Generator<Step | Emit<ExportPart>, void, unknown> {
  const { version } = yield* versionAsOf(bookId, asOf);
  const changed = yield* changedSince<BookTable>(bookId, version, exportedTables);
  const rowsOf = <T extends BookTable>(table: T): EarlierRows<T> =>
    new EarlierRows(table, bookId, version, changed.get(table)!);
  const records = yield* readRecords(bookId, rowsOf);
  yield new Emit<ExportPart>(records);
  const names = exportNames(records);
  const rows = rowsOf(transactions);
  for (let after: number | null = 0; after !== null;) {
    const { batch, last }: ExportBatch = yield* readBatch(bookId, rows, after, names);
    for (const each of batch) yield new Emit<ExportPart>(each);
    after = last;
  }
}

type RowsOf = <T extends BookTable>(table: T) => EarlierRows<T>;

const exportedTables: readonly BookTable[] = [
  ...[transactions, manualAccounts, plaidAccounts, categories, tags],
  ...[cryptoAccounts, cryptoBalances],
];

function* readRecords(bookId: number, rowsOf: RowsOf): Steps<ExportedRecords> {
  const balances = yield* rowsOf(cryptoBalances).all();
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
  };
}
