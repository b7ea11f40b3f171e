import sql from 'sql-template-tag';
import { Emit } from '../../db/engine.ts';
import type { Engine, Step, Steps } from '../../db/engine.ts';
import { rowsAs, select } from '../../db/rows.ts';
import { integer, nullable, text } from '../../db/table.ts';
import type { Row } from '../../db/table.ts';
import { categories, manualAccounts, plaidAccounts, tags } from '../../db/tables.ts';
import { toWire } from '../categories/rules.ts';
import type { Category } from '../categories/schema.ts';
import { listAccounts } from '../crypto/actions.ts';
import type { SyncedCryptoAccount } from '../crypto/schema.ts';
import { bookOf } from '../users/actions.ts';
import type { Book } from '../users/identity.ts';

const batchSize = 1000;

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

/** Reads a whole book; its transactions are read in batches. */
export async function exportBook(engine: Engine, bookId: number): Promise<BookExport> {
  const parts = engine.stream(() => readBook(bookId))[Symbol.asyncIterator]();
  const first = await parts.next();
  if (first.done === true) throw new Error(`The export of book ${bookId} is empty`);
  const transactions = {
    [Symbol.asyncIterator]: () => parts,
  } as AsyncIterable<ExportedTransaction>;
  return { ...(first.value as ExportedRecords), transactions };
}

type ExportPart = ExportedRecords | ExportedTransaction;

function* readBook(bookId: number): Generator<Step | Emit<ExportPart>, void, unknown> {
  yield new Emit<ExportPart>(yield* readRecords(bookId));
  let after = 0;
  for (;;) {
    const batch = yield* readBatch(bookId, after);
    for (const each of batch) {
      yield new Emit<ExportPart>(each);
      after = each.id;
    }
    if (batch.length < batchSize) return;
  }
}

function* readRecords(bookId: number): Steps<ExportedRecords> {
  const book = yield* bookOf(bookId);
  const ofBook = { book_id: bookId };
  return {
    book,
    manualAccounts: yield* select(manualAccounts, ofBook),
    plaidAccounts: yield* select(plaidAccounts, ofBook),
    categories: (yield* select(categories, ofBook)).map(toWire),
    tags: yield* select(tags, ofBook),
    cryptoAccounts: yield* listAccounts(bookId),
  };
}

const batchShape = {
  id: integer,
  date: text,
  amount: integer,
  currency: text,
  payee: text,
  notes: nullable(text),
  status: text,
  externalId: nullable(text),
  categoryName: nullable(text),
  accountName: nullable(text),
  tagNames: text,
  json: text,
};

function* readBatch(bookId: number, after: number): Steps<ExportedTransaction[]> {
  const batch = yield* rowsAs(
    batchShape,
    sql`SELECT t.id, t.date, t.amount, t.currency, t.payee, t.notes, t.status,
      t.external_id AS "externalId", c.name AS "categoryName",
      coalesce(m.display_name, m.name, p.display_name, p.name) AS "accountName",
      '[' || coalesce((SELECT string_agg(name, ',') FROM (SELECT json_quote(g.name) AS name
        FROM transaction_tags k JOIN tags g ON g.book_id = k.book_id AND g.id = k.tag_id
        WHERE k.book_id = t.book_id AND k.transaction_id = t.id ORDER BY g.id) tags), '') || ']' AS "tagNames",
      substr(t.json, 1, length(t.json) - 1) || ',"plaid_metadata":' || coalesce(t.plaid_metadata, 'null')
        || ',"custom_metadata":' || coalesce(t.custom_metadata, 'null') || '}' AS json
    FROM transactions t
      LEFT JOIN categories c ON c.id = t.category_id AND c.book_id = t.book_id
      LEFT JOIN manual_accounts m ON m.id = t.manual_account_id AND m.book_id = t.book_id
      LEFT JOIN plaid_accounts p ON p.id = t.plaid_account_id AND p.book_id = t.book_id
    WHERE t.book_id = ${bookId} AND t.id > ${after} ORDER BY t.id LIMIT ${batchSize}`,
  );
  return batch.map((each) => ({ ...each, tagNames: JSON.parse(each.tagNames) as string[] }));
}
