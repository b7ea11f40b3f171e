import { formatAmount } from '@coffer/core/money';
import type { ExportedTransaction } from '@coffer/server';

/** From a database, which reads as it goes, or from memory. */
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
 * The money of a book as CSV, in pieces: a header, then a line for each transaction that moves money, ascending by id.
 *
 * UTF-8, lines end with LF, quotes as in RFC 4180. Amounts have the bank's sign, money out negative, and four decimals.
 * Each amount appears once: the parts instead of a split transaction, the members instead of a group. Pending
 * transactions are left out, because the bank will send them again. An import of the file gives the same sums.
 */
export async function* csvRows(book: {
  readonly transactions: AnyIterable<ExportedTransaction>;
}): AsyncGenerator<string> {
  yield `${columns.join(',')}\n`;
  for await (const transaction of book.transactions) {
    if (movesMoney(transaction)) yield csvRow(transaction);
  }
}

/** False for rows whose amount appears on other rows too, or is pending. */
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
    textCell(payee),
    textCell(notes),
    textCell(transaction.accountName),
    textCell(transaction.categoryName),
    textCell(transaction.tagNames.join(', ')),
    status,
    textCell(externalId),
  ];
  return `${cells.join(',')}\n`;
}

/**
 * What a spreadsheet may run as a formula: `=`, `+`, `-` or `@`, also in full width, after any blanks and invisible
 * characters; or TAB, CR or LF first. Source: OWASP, CSV Injection.
 */
const formula = /^(?:[\t\r\n]|[\s\p{Cf}]*[=+\-@＝＋－＠])/u;

/**
 * A text that no spreadsheet runs as a formula: what may be one gets an apostrophe in front, which the import removes.
 * A text that itself begins with such an apostrophe gets a blank in front, which the import trims.
 */
function textCell(text: string | null): string {
  if (text === null) return '';
  if (formula.test(text)) return quoted(`'${text}`);
  if (text.startsWith("'") && formula.test(text.slice(1))) return quoted(` ${text}`);
  return quoted(text);
}

function quoted(text: string): string {
  return /[",;|\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
