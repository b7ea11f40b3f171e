import { decode, inItsEncoding, type OpenBytes, type OpenText } from '../bytes/encoding.ts';
import { Refusal } from '../statement/statement-error.ts';
import type { Statement } from '../statement/statement.ts';
import type { ReaderOptions } from '../statement/years.ts';
import { readTable } from './read-table.ts';
import { likelyEncoding } from './table/encodings.ts';
import { outlineIn, type TableOutline } from './table/outline.ts';
import { delimitedText, type TableSource } from './table/rows.ts';

/**
 * Reads delimited text and examines all of it.
 * Errors: StatementError with every problem of the table, Refusal if reading cannot continue.
 * Source: RFC 4180, and files of banks that deviate from it.
 */
export function readCsv(openBytes: OpenBytes, options: ReaderOptions): Statement {
  return readTableFile('csv', openBytes, options, delimitedText);
}

/** What the table of delimited text looks like, in the encoding that its first rows show; null if there is none. */
export function outlineCsv(openBytes: OpenBytes): TableOutline | null {
  return outlineIn(openBytes, delimitedText);
}

/** Reads a file with a table, in the encoding that its rows show. */
export function readTableFile(
  format: 'csv' | 'html',
  openBytes: OpenBytes,
  options: ReaderOptions,
  tableOf: (openText: OpenText) => TableSource,
): Statement {
  const examine = (encoding: string) => {
    const source = tableOf(() => decode(openBytes(), encoding));
    return { encoding, table: readTable(source, options) };
  };
  const fallback = () => likelyEncoding(openBytes);
  const { encoding, table } = inItsEncoding(
    openBytes,
    options.encoding,
    fallback,
    (known, isFallback) => {
      try {
        return examine(known);
      } catch (error) {
        if (format !== 'csv' || !isFallback || !(error instanceof Refusal)) throw error;
        // The header may exist, but in another encoding.
        const reason = `${error.message} (not valid utf-8, so read as ${known})`;
        throw new Refusal(reason, error.line, error.column, error.needsColumns);
      }
    },
  );
  const mapping = { ...table.mapping, encoding };
  const shape = outlineIn(openBytes, tableOf)?.shape;
  return { format, encoding, ...table, mapping, ...(shape !== undefined && { shape }) };
}
