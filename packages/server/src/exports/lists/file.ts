import { formatAmount } from '@coffer/core/money';
import { cryptoRecord } from '../../sync/crypto/rules.ts';
import { csvHeader, CsvLines, type ExportNames } from './csv.ts';
import type { BookExport } from './export.ts';
import { GrowingBytes, rowSeparator } from './wire-rows.ts';

type Pieces = AsyncGenerator<Buffer, void, undefined>;

/** Yields the transactions of a book as CSV in pieces: a header, then lines ascending by id: see {@link CsvLines}. */
async function* csvPieces(book: BookExport): Pieces {
  const lines = new CsvLines(exportNames(book));
  yield csvHeader;
  for await (const block of book.transactions({ withMetadata: false }))
    yield* inPieces(lines.linesOf(block));
}

interface Account {
  readonly id: number;
  readonly name: string;
  readonly display_name: string | null;
}

/** Returns the names of an export's records. An account has its display name, if there is one. */
export function exportNames({
  categories,
  manualAccounts,
  plaidAccounts,
  tags,
}: Pick<BookExport, 'categories' | 'manualAccounts' | 'plaidAccounts' | 'tags'>): ExportNames {
  const shown = ({ id, name, display_name }: Account) => [id, display_name ?? name] as const;
  return {
    categories: new Map(categories.map(({ id, name }) => [id, name])),
    manual: new Map(manualAccounts.map(shown)),
    plaid: new Map(plaidAccounts.map(shown)),
    tags: new Map(tags.map(({ id, name }) => [id, name])),
  };
}

/**
 * Yields a whole book as NDJSON in pieces: the book, its manual, plaid and synced crypto accounts, its categories and
 * tags, the records of all other kinds, then all transactions by id, including pending ones, split parents and group
 * members.
 *
 * Each line is an object that starts with its `type`. The rest of a transaction is exactly as in the API, with its
 * metadata. Times are ISO 8601 in UTC. Amounts are decimal strings with four places, except `to_base`, a number.
 */
async function* ndjsonPieces(book: BookExport): Pieces {
  yield* inChunks(recordLines(book));
  for await (const block of book.transactions({ withMetadata: true }))
    yield* inPieces(transactionLines(block));
}

const lineStart = Buffer.from('{"type":"transaction",');
const lineEnd = Buffer.from('}\n');
const separator = rowSeparator.charCodeAt(0);
const newline = 0x0a;

/** Returns the lines of transactions whose metadata follows them, as an export has them. */
function transactionLines(block: Buffer): Buffer<ArrayBuffer> {
  const lines = new GrowingBytes(block.length + (block.length >> 3));
  for (let at = 0; at < block.length;) {
    const metadata = block.indexOf(newline, at);
    const found = block.indexOf(separator, metadata);
    const end = found < 0 ? block.length : found;
    lines.copy(lineStart);
    lines.copy(block, at + 1, metadata - 1);
    lines.copy(block, metadata + 1, end);
    lines.copy(lineEnd);
    at = end + 1;
  }
  return lines.taken();
}

function* recordLines(book: BookExport): Generator<string> {
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
}

/** What the column `type` is called, because `type` is the type of the line. */
const typeNames: Readonly<Record<string, string>> = { transaction_file: 'media_type' };

/** Columns of secrets, and of keys of a file store. */
const left: readonly string[] = ['sealed_credentials', 'storage_key'];
const amounts: readonly string[] = [
  'balance',
  'ahead',
  'credit_limit',
  'amount',
  'amount_tolerance',
];
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

/** The formats of an export: their media types, and their bytes in pieces. */
export const exportFormats = {
  csv: { type: 'text/csv; charset=utf-8', piecesOf: csvPieces },
  ndjson: { type: 'application/x-ndjson', piecesOf: ndjsonPieces },
} as const;

/** The name of a format of text, which is also the extension of its files. */
export type ExportFormat = keyof typeof exportFormats;

/** The media type and the extension of archives. */
export const archiveFile = { type: 'application/gzip', extension: 'tar.gz' } as const;

const chunkCharacters = 65_536;
/** So that a slow reader is not given a whole block at once. */
const pieceBytes = 131_072;
/** At most 200 bytes, because names of files have at most 255. */
const nameCharacters = 50;

function* inPieces(bytes: Buffer): Generator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Yields texts as bytes in UTF-8. There can be many, so short ones are joined. */
export function* inChunks(texts: Iterable<string>): Generator<Buffer, void, undefined> {
  let chunk = '';
  for (const text of texts) {
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
