import type { BookExport, ExportedTransaction } from './export.ts';
import { formatAmount } from '@coffer/core/money';
import { cryptoRecord } from '../../sync/crypto/rules.ts';

/** From a database, which is read gradually, or from memory. */
type AnyIterable<T> = Iterable<T> | AsyncIterable<T>;

const columns = [
  'id',
  'date',
  'amount',
  'currency',
  'payee',
  'notes',
  'account',
  'category',
  'tags',
  'status',
  'external_id',
];

/**
 * Yields the transactions of a book as CSV in pieces: a header, then a line for each amount, ascending by id.
 *
 * UTF-8, lines end with LF, quotes as in RFC 4180. Amounts have four decimals; money out is negative, as at banks. Each
 * amount appears once: the parts instead of a split transaction, the members instead of a group. Pending transactions
 * are left out, because the bank will send them again. An import of the file gives the same totals.
 */
export async function* csvRows(book: {
  readonly transactions: AnyIterable<ExportedTransaction>;
}): AsyncGenerator<string> {
  yield `${columns.join(',')}\n`;
  for await (const transaction of book.transactions) {
    if (movesMoney(transaction)) yield csvRow(transaction);
  }
}

/** Returns false for a pending row and for a row whose amount also appears on other rows. */
function movesMoney({ json }: ExportedTransaction): boolean {
  const wire = JSON.parse(json) as Readonly<Record<string, unknown>>;
  return !wire['is_pending'] && !wire['is_split_parent'] && !wire['is_group_parent'];
}

function csvRow(transaction: ExportedTransaction): string {
  const { id, date, amount, currency, payee, notes, status, externalId } = transaction;
  const cells = [
    String(id),
    date,
    formatAmount(-amount),
    currency,
    // An empty cell is an empty payee, but no notes.
    payee === '' ? '' : exactCell(payee),
    exactCell(notes),
    textCell(transaction.accountName),
    textCell(transaction.categoryName),
    textCell(transaction.tagNames.join(', ')),
    status,
    textCell(externalId),
  ];
  return `${cells.join(',')}\n`;
}

/**
 * Text that a spreadsheet may run as a formula: it starts with TAB, CR or LF, or with `=`, `+`, `-` or `@`, also in
 * full width or after blanks and invisible characters. Source: OWASP, CSV Injection.
 */
const formula = /^(?:[\t\r\n]|[\s\p{Cf}]*[=+\-@＝＋－＠])/u;

/**
 * Returns a cell that no spreadsheet runs as a formula. A possible formula gets an apostrophe before it, which an
 * import removes. Text that already starts with such an apostrophe gets a blank before it, which an import trims.
 */
function textCell(text: string | null, isMarked = isFormula): string {
  if (text === null) return '';
  if (isMarked(text)) return quoted(`'${text}`);
  if (text.startsWith("'") && isMarked(text.slice(1))) return quoted(` ${text}`);
  return quoted(text);
}

function isFormula(text: string): boolean {
  return formula.test(text);
}

/** Also marks an empty text, and one with blanks at an end, which an import would change. */
function exactCell(text: string | null): string {
  return textCell(text, (each) => each === '' || each.trim() !== each || isFormula(each));
}

function quoted(text: string): string {
  return /[",;|\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Yields a whole book as NDJSON in pieces: the book, its manual, plaid and synced crypto accounts, its categories and
 * tags, the records of all other kinds, then all transactions by id, including pending ones, split parents and group
 * members.
 *
 * Each line is an object that starts with its `type`. The rest of a transaction is exactly as in the API, with its
 * metadata. Times are ISO 8601 in UTC. Amounts are decimal strings with four places, except `to_base`, a number.
 */
async function* ndjsonLines(book: BookExport): AsyncGenerator<string> {
  const { id, name, primaryCurrency } = book.book;
  yield line('book', { id, name, primary_currency: primaryCurrency });
  for (const account of book.manualAccounts) yield line('manual_account', recordOf(account));
  for (const account of book.plaidAccounts) yield line('plaid_account', recordOf(account));
  for (const account of book.cryptoAccounts) {
    yield line('crypto_synced_account', cryptoRecord(account));
  }
  for (const category of book.categories) yield line('category', category);
  for (const tag of book.tags) yield line('tag', withoutBook(tag));
  for (const [kind, records] of book.others)
    for (const record of records) yield line(kind, recordOf(record, typeNames[kind]));
  for await (const { json } of book.transactions) yield `{"type":"transaction",${json.slice(1)}\n`;
}

/** What the column `type` is called, because `type` is the type of the line. */
const typeNames: Readonly<Record<string, string>> = { transaction_file: 'media_type' };

/** Columns of secrets, and of keys of a file store. */
const left: readonly string[] = ['sealed_credentials', 'storage_key'];
const amounts: readonly string[] = ['balance', 'credit_limit', 'amount', 'amount_tolerance'];
const jsonColumns: readonly string[] = ['custom_metadata', 'conditions', 'actions'];
/** Amounts and percentages in the JSON of rules. */
const amountsOfRules: readonly string[] = ['equals', 'min', 'max', 'amount', 'percentage'];

/** A record with the columns of its table. */
type ExportedRecord = Readonly<Record<string, unknown>>;

function line(type: string, record: object): string {
  return `${JSON.stringify({ type, ...record })}\n`;
}

function recordOf(row: ExportedRecord, typeName = 'account_type'): object {
  const { type, ...rest } = withoutBook(row);
  const entries = Object.entries(rest)
    .filter(([key]) => !left.includes(key))
    .map(([key, value]) => [key, valueOf(key, value)]);
  return {
    ...(type !== undefined && { [typeName]: type }),
    ...(Object.fromEntries(entries) as object),
  };
}

function valueOf(column: string, value: unknown): unknown {
  if (value === null) return null;
  if (amounts.includes(column)) return formatAmount(Number(value));
  if (column === 'to_base') return Number(formatAmount(Number(value)));
  if (!jsonColumns.includes(column)) return value;
  const isOfRule = column !== 'custom_metadata';
  return JSON.parse(value as string, (name, each: unknown) =>
    isOfRule && typeof each === 'number' && amountsOfRules.includes(name)
      ? formatAmount(each)
      : each,
  );
}

function withoutBook({ book_id: _bookId, ...record }: ExportedRecord): ExportedRecord {
  return record;
}

/** The formats of an export: their media types, and their texts in pieces. */
export const exportFormats = {
  csv: { type: 'text/csv; charset=utf-8', textsOf: csvRows },
  ndjson: { type: 'application/x-ndjson', textsOf: ndjsonLines },
} as const;

/** The name of a format of text, which is also the extension of its files. */
export type ExportFormat = keyof typeof exportFormats;

/** The media type and the extension of archives. */
export const archiveFile = { type: 'application/gzip', extension: 'tar.gz' } as const;

const chunkCharacters = 65_536;
/** At most 200 bytes, because names of files have at most 255. */
const nameCharacters = 50;

/** Yields texts as bytes in UTF-8. A book can have a million rows, so short texts are joined. */
export async function* inChunks(
  texts: AsyncIterable<string>,
): AsyncGenerator<Buffer, void, undefined> {
  let chunk = '';
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < chunkCharacters) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

/**
 * Returns a name for the file of an export, such as `coffer-My-book-2026-11-23.csv`. The name of the book has only its
 * letters, digits, dots and underscores, so that no system takes it for a path or a command; every run of other
 * characters is a hyphen.
 */
export function exportName(
  { book, startedAt }: Pick<BookExport, 'book' | 'startedAt'>,
  extension: string,
): string {
  const plain = book.name.normalize('NFC').replaceAll(/[^\p{L}\p{M}\p{N}._]+/gu, '-');
  const kept = [...plain].slice(0, nameCharacters);
  const isInside = (character: string): boolean => character !== '-' && character !== '.';
  const name = kept.slice(kept.findIndex(isInside), kept.findLastIndex(isInside) + 1).join('');
  return `coffer-${name || 'book'}-${startedAt.slice(0, 10)}.${extension}`;
}
