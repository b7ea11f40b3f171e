import { negated, parseAmount } from '../amounts.ts';
import { parseDate } from '../dates.ts';
import { Refusal } from '../statement-error.ts';
import type { Entry } from '../statement.ts';
import { parseCurrency, payeeCell, rowKind, textCell, trimmedCell } from './cells.ts';
import type { Reading } from './examine.ts';
import type { Row } from './rows.ts';
import { parseDirection } from './words.ts';

/**
 * Converts the rows of an examined table to entries. Holds each entry back for one row, which may continue its text.
 * Errors: Refusal at a row that is no longer valid.
 */
export function* entriesOf(
  rows: Iterable<Row>,
  reading: Reading,
  negate: boolean,
): Generator<Entry> {
  let held: Entry | null = null;
  let count = 0;
  for (const row of rows) {
    if (row.line < reading.layout.firstLine) continue;
    const kind = rowKind(row.cells, reading.layout);
    if (kind === 'continuation' && held !== null) continueNotes(held, row, reading);
    if (kind !== 'entry') continue;
    if (held !== null) yield held;
    held = entryOf(row, reading, negate);
    count += 1;
  }
  if (held !== null) yield held;
  if (count !== reading.entryCount) throw changed(null);
}

function continueNotes(entry: Entry, { cells }: Row, { layout }: Reading): void {
  const text = payeeCell(cells, layout.columns.payee);
  entry.notes = entry.notes === null ? text : `${entry.notes} ${text}`;
}

function entryOf({ line, cells }: Row, reading: Reading, negate: boolean): Entry {
  const { columns } = reading.layout;
  const date = parseDate(trimmedCell(cells, columns.date), reading.dateOrder);
  const amount = amountOf(cells, reading);
  const currency = parseCurrency(trimmedCell(cells, columns.currency));
  if (date === null || amount === null || currency === undefined) throw changed(line);
  return {
    line,
    date,
    amount: negate ? negated(amount) : amount,
    currency,
    payee: payeeCell(cells, columns.payee),
    notes: textCell(cells, columns.notes),
    category: textCell(cells, columns.category),
    account: textCell(cells, columns.account),
    externalId: textCell(cells, columns.external_id),
  };
}

/** Money in is positive, money out negative; null if a cell is invalid. */
function amountOf(cells: readonly string[], reading: Reading): number | null {
  const { amount: amountColumn, debit, credit } = reading.layout.columns;
  if (amountColumn === undefined) {
    const moneyIn = sizeOf(cells, credit, reading);
    const moneyOut = sizeOf(cells, debit, reading);
    return moneyIn === null || moneyOut === null ? null : moneyIn - Math.abs(moneyOut);
  }
  const amount = parseAmount(trimmedCell(cells, amountColumn), reading.decimal);
  if (reading.directionColumn === undefined || amount === null) return amount;
  const direction = parseDirection(trimmedCell(cells, reading.directionColumn));
  if (direction === null) return null;
  return direction > 0 ? Math.abs(amount) : negated(Math.abs(amount));
}

/** The amount of a debit or credit cell; an empty one is zero. */
function sizeOf(cells: readonly string[], index: number | undefined, reading: Reading) {
  const cell = trimmedCell(cells, index);
  return cell === '' ? 0 : parseAmount(cell, reading.decimal);
}

function changed(line: number | null): Refusal {
  return new Refusal('File changed while it was being read', line);
}
