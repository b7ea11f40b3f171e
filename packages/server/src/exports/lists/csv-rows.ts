import { formatAmount } from '@coffer/core/money';
import type { ExportedTransaction } from './batch.ts';

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
