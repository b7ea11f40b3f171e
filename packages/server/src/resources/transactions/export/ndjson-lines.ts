import { formatAmount } from '@coffer/core/money';
import { cryptoRecord } from '../../crypto/rules.ts';
import type { BookExport } from './export.ts';

/**
 * Yields a whole book as NDJSON in pieces: the book, its manual, plaid and synced crypto accounts, its categories and
 * tags, then all transactions by id, including pending ones, split parents and group members.
 *
 * Each line is an object that starts with its `type`. The rest of a transaction is exactly as in the API, with its
 * metadata. Times are ISO 8601 in UTC. Amounts are decimal strings with four places.
 */
export async function* ndjsonLines(book: BookExport): AsyncGenerator<string> {
  const { id, name, primaryCurrency } = book.book;
  yield line('book', { id, name, primary_currency: primaryCurrency });
  for (const account of book.manualAccounts) yield line('manual_account', accountOf(account));
  for (const account of book.plaidAccounts) yield line('plaid_account', accountOf(account));
  for (const account of book.cryptoAccounts) {
    yield line('crypto_synced_account', cryptoRecord(account));
  }
  for (const category of book.categories) yield line('category', category);
  for (const tag of book.tags) yield line('tag', withoutBook(tag));
  for await (const { json } of book.transactions) yield `{"type":"transaction",${json.slice(1)}\n`;
}

/** A record with the columns of its table. */
type ExportedRecord = Readonly<Record<string, unknown>>;

function line(type: string, record: object): string {
  return `${JSON.stringify({ type, ...record })}\n`;
}

/** Renames the `type` of an account to `account_type`, because `type` is the type of the line. */
function accountOf(account: ExportedRecord): object {
  const { type, ...rest } = withoutBook(account);
  const entries = Object.entries(rest).map(([key, value]) => [key, accountValue(key, value)]);
  return { account_type: type, ...(Object.fromEntries(entries) as object) };
}

function accountValue(key: string, value: unknown): unknown {
  if (value === null) return null;
  if (key === 'balance' || key === 'credit_limit') return formatAmount(Number(value));
  return key === 'custom_metadata' ? JSON.parse(value as string) : value;
}

function withoutBook({ book_id: _bookId, ...record }: ExportedRecord): ExportedRecord {
  return record;
}
