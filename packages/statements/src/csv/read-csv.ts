import { decode, inItsEncoding, type OpenBytes } from '../bytes/encoding.ts';
import { Refusal } from '../statement/statement-error.ts';
import type { Statement } from '../statement/statement.ts';
import type { ReaderOptions } from '../statement/years.ts';
import { likelyEncoding } from './table/encodings.ts';
import { readTable, type TableReading } from './read-table.ts';
import { outlineIn, type TableOutline } from './table/outline.ts';
import { delimitedText } from './table/source.ts';

const FALLBACK_ENCODING = 'windows-1252';

/**
 * Reads delimited text and examines all of it.
 * Errors: StatementError with every problem of the table, Refusal if reading cannot continue.
 * Source: RFC 4180, and files of banks that deviate from it.
 */
export function readCsv(openBytes: OpenBytes, options: ReaderOptions): Statement {
  const examine = (encoding: string) => {
    const source = delimitedText(() => decode(openBytes(), encoding));
    return { encoding, table: readTable(source, options) };
  };
  const { encoding, table } = inItsEncoding(
    openBytes,
    options.encoding,
    FALLBACK_ENCODING,
    (known, isFallback) =>
      isFallback ? examineInFallback(likelyEncoding(openBytes), examine) : examine(known),
  );
  const mapping = { ...table.mapping, encoding };
  const shape = outlineCsv(openBytes)?.shape;
  return { format: 'csv', encoding, ...table, mapping, ...(shape !== undefined && { shape }) };
}

/** What the table of delimited text looks like, in the encoding that its first rows show; null if there is none. */
export function outlineCsv(openBytes: OpenBytes): TableOutline | null {
  return outlineIn(openBytes, (encoding) => delimitedText(() => decode(openBytes(), encoding)));
}

interface Examined {
  encoding: string;
  table: TableReading;
}

function examineInFallback(encoding: string, examine: (encoding: string) => Examined): Examined {
  try {
    return examine(encoding);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // The header may exist, but in another encoding.
    const reason = `${error.message} (not valid utf-8, so read as ${encoding})`;
    throw new Refusal(reason, error.line, error.column, error.needsColumns);
  }
}
