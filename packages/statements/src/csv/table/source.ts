import { RowReader, type Row } from './rows.ts';

/** The rows of a table, and the line that is reached. */
export interface RowSource extends Iterable<Row> {
  readonly line: number;
}

/** A file with a table. Its rows may be cut in several ways, of which one gives the table. */
export interface TableSource {
  /** For delimited text: a delimiter, or a quote and a delimiter if each row is one quoted cell. */
  readonly forms: readonly string[];
  /** Opens the rows at the first one; may be called more than once. */
  open(form: string): RowSource;
}

const DELIMITERS = [',', ';', '\t', '|'];

/** Delimited text. */
export function delimitedText(openText: () => Iterable<string>): TableSource {
  return {
    forms: [...DELIMITERS, ...DELIMITERS.map((delimiter) => `"${delimiter}`)],
    open: (form) =>
      form.length === 1
        ? new RowReader(openText(), form)
        : new UnwrappedRows(new RowReader(openText(), form.slice(1)), form.slice(1)),
  };
}

/** Rows that are one quoted cell each, such as `"2024-01-31,""Shop"",5"`. */
class UnwrappedRows implements RowSource {
  readonly #rows: RowReader;
  readonly #delimiter: string;

  constructor(rows: RowReader, delimiter: string) {
    this.#rows = rows;
    this.#delimiter = delimiter;
  }

  get line(): number {
    return this.#rows.line;
  }

  *[Symbol.iterator](): Generator<Row> {
    for (const row of this.#rows) {
      const inner = row.cells.length === 1 ? this.#inside(row) : null;
      yield inner === null ? row : { ...row, cells: inner.cells, badCell: inner.badCell };
    }
  }

  #inside({ cells }: Row): Row | null {
    const [first] = new RowReader(cells, this.#delimiter);
    return first ?? null;
  }
}
