import type { ColumnMap } from '../../statement/column-map.ts';
import { looksLikeAmount } from '../../statement/amounts.ts';
import type { Row } from './rows.ts';
import { readHeader } from './header.ts';
import type { Parties } from './parties.ts';
import { textAbove } from './preamble.ts';
import type { Head, Layout } from './table.ts';

/** A table that a bank or an application writes without a header. */
interface Headerless {
  /** The names that its columns have in files with a header. */
  readonly names: readonly string[];
  /** What the cells of each of the first columns are. */
  readonly cells: readonly ((cell: string) => boolean)[];
}

const any = (): boolean => true;
const like =
  (pattern: RegExp) =>
  (cell: string): boolean =>
    pattern.test(cell);

const HEADERLESS: readonly Headerless[] = [
  {
    names: [
      ...['Datum', 'Naam / Omschrijving', 'Rekening', 'Tegenrekening', 'Code', 'Af Bij'],
      ...['Bedrag', 'Mutatiesoort', 'Mededelingen'],
    ],
    cells: [
      ...[like(/^\d{8}$/), like(/\p{L}/u), any, any, like(/^[A-Z]{2}$/)],
      ...[like(/^(?:af|bij)$/i), looksLikeAmount],
    ],
  },
  {
    names: [
      ...['Date', 'Description', 'Original Description', 'Amount', 'Transaction Type', 'Category'],
      ...['Account Name', 'Labels', 'Notes'],
    ],
    cells: [
      ...[like(/^\d{1,2}\/\d{2}\/\d{4}$/), any, any, looksLikeAmount],
      ...[like(/^(?:debit|credit)$/i), any, like(/\S/), any, any],
    ],
  },
];

/** The layout of a table without a header that all of the first rows fit; null for any other table. */
export function headerlessLayout(
  { rows, form }: Head,
  map: ColumnMap,
  parties: Parties | null,
): Layout | null {
  const at = rows.findIndex(({ cells }) => cells.length > 1);
  const data = rows.slice(at).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const first = data[0];
  const known = HEADERLESS.find((each) => data.every((row) => fits(row, each)));
  if (first === undefined || known === undefined) return null;
  const sample = data.map(({ cells }) => cells);
  const header = readHeader(known.names, map, sample, parties);
  if (header === null) return null;
  return {
    ...{ ...header, form, firstLine: first.line, isInferred: true, currency: null },
    ...textAbove(rows.slice(0, at)),
  };
}

function fits({ cells }: Row, { cells: kinds }: Headerless): boolean {
  return cells.length >= kinds.length && kinds.every((is, index) => is(cells[index]!.trim()));
}
