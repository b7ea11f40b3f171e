import sql from 'sql-template-tag';
import type { ExportedRecord, ExportedTransaction } from '../records/export.ts';
import type { Book } from '../records/identity.ts';
import type { Category } from '../records/category.ts';
import type { CryptoAccount } from '../records/crypto.ts';
import { listCategories } from './categories.ts';
import { listCryptoAccounts } from './crypto.ts';
import { Emit, row, rows } from './engine.ts';
import type { Operation, Step } from './engine.ts';

const batchSize = 1000;

/** What an export hands out: first the records of the book, then its transactions. */
export type ExportPart = ExportedRecords | ExportedTransaction;

/** Everything in a book but its transactions. */
export interface ExportedRecords {
  readonly book: Book;
  readonly manualAccounts: readonly ExportedRecord[];
  readonly plaidAccounts: readonly ExportedRecord[];
  readonly categories: readonly Category[];
  readonly tags: readonly ExportedRecord[];
  readonly cryptoAccounts: readonly CryptoAccount[];
}

/** Reads everything in a book, ascending by id, in pieces. */
export function* exportBook(bookId: number): Generator<Step | Emit<ExportPart>, void, unknown> {
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

function* readRecords(bookId: number): Operation<ExportedRecords> {
  const book = yield* row<Book>(sql`
    SELECT id, user_id AS "userId", name, primary_currency AS "primaryCurrency", version
    FROM books WHERE id = ${bookId}`);
  if (book === undefined) throw new Error(`There is no book ${bookId}`);
  return {
    book,
    manualAccounts: yield* rows<ExportedRecord>(
      sql`SELECT * FROM manual_accounts WHERE book_id = ${bookId} ORDER BY id`,
    ),
    plaidAccounts: yield* rows<ExportedRecord>(
      sql`SELECT * FROM plaid_accounts WHERE book_id = ${bookId} ORDER BY id`,
    ),
    categories: yield* listCategories(bookId),
    tags: yield* rows<ExportedRecord>(
      sql`SELECT * FROM tags WHERE book_id = ${bookId} ORDER BY id`,
    ),
    cryptoAccounts: yield* listCryptoAccounts(bookId),
  };
}

type BatchRow = Omit<ExportedTransaction, 'tagNames'> & { readonly tagNames: string };

function* readBatch(bookId: number, after: number): Operation<ExportedTransaction[]> {
  const batch = yield* rows<BatchRow>(sql`
    SELECT t.id, t.date, t.amount, t.currency, t.payee, t.notes, t.status,
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
    WHERE t.book_id = ${bookId} AND t.id > ${after} ORDER BY t.id LIMIT ${batchSize}`);
  return batch.map((each) => ({ ...each, tagNames: JSON.parse(each.tagNames) as string[] }));
}
