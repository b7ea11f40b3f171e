import { decode, inItsEncoding, type OpenBytes } from '../../bytes/encoding.ts';
import { likelyEncoding } from '../../csv/table/encodings.ts';
import { readTable } from '../../csv/read-table.ts';
import type { Row } from '../../csv/table/rows.ts';
import { outlineIn, type TableOutline } from '../../csv/table/outline.ts';
import type { RowSource, TableSource } from '../../csv/table/source.ts';
import { Refusal } from '../../statement/statement-error.ts';
import type { Statement } from '../../statement/statement.ts';
import type { ReaderOptions } from '../../statement/years.ts';
import { tableRows } from './tables.ts';

const FALLBACK_ENCODING = 'windows-1252';

/**
 * Reads the largest table of an HTML file, which banks also name `.xls`, like delimited text.
 * Edges: the encoding is UTF-8 if the whole file is, whatever it declares.
 * Errors: StatementError with every problem of the table, Refusal if reading cannot continue.
 */
export function readHtml(openBytes: OpenBytes, options: ReaderOptions): Statement {
  const examine = (encoding: string) => {
    const openText = () => decode(openBytes(), encoding);
    return { encoding, table: readTable(largestTable(openText), options) };
  };
  const { encoding, table } = inItsEncoding(
    openBytes,
    options.encoding,
    FALLBACK_ENCODING,
    (known, isFallback) => examine(isFallback ? likelyEncoding(openBytes) : known),
  );
  const mapping = { ...table.mapping, encoding };
  const shape = outlineHtml(openBytes)?.shape;
  return { format: 'html', encoding, ...table, mapping, ...(shape !== undefined && { shape }) };
}

/** What the largest table of an HTML file looks like; null if it has no row with two cells. */
export function outlineHtml(openBytes: OpenBytes): TableOutline | null {
  return outlineIn(openBytes, (encoding) => largestTable(() => decode(openBytes(), encoding)));
}

/** The table with the most cells; the rows of others are left out. */
function largestTable(openText: () => Iterable<string>): TableSource {
  const cells = new Map<number, number>();
  for (const row of tableRows(openText())) {
    cells.set(row.table, (cells.get(row.table) ?? 0) + row.cells.length);
  }
  const [largest] = [...cells].sort((a, b) => b[1] - a[1]);
  if (largest === undefined) throw new Refusal('No table in the HTML file');
  return { forms: ['<'], open: () => new HtmlRows(openText(), largest[0]) };
}

class HtmlRows implements RowSource {
  readonly #pieces: Iterable<string>;
  readonly #table: number;
  #line = 1;

  constructor(pieces: Iterable<string>, table: number) {
    this.#pieces = pieces;
    this.#table = table;
  }

  get line(): number {
    return this.#line;
  }

  *[Symbol.iterator](): Generator<Row> {
    let last = 0;
    for (const { table, line, cells } of tableRows(this.#pieces)) {
      this.#line = line;
      if (table !== this.#table) continue;
      // Lines distinguish rows, but several may be on one line: they are counted on.
      last = Math.max(line, last + 1);
      yield { line: last, cells, badCell: null };
    }
  }
}
