import type { Content } from '../bytes/content.ts';
import { inItsEncoding, type FileText } from '../bytes/encoding.ts';
import type { Scratch } from '../statement/kept.ts';
import { NotUtf8, Refusal } from '../statement/statement-error.ts';
import type { Statement } from '../statement/statement.ts';
import type { ReaderOptions } from '../statement/years.ts';
import { readTable } from './read-table.ts';
import { likelyEncoding } from './table/encodings.ts';
import { headsOf } from './table/layout.ts';
import { outlineIn, outlineOf, type TableOutline } from './table/outline.ts';
import { delimitedText, type TableSource } from './table/rows.ts';

/**
 * Reads delimited text and examines all of it.
 * Errors: StatementError with every problem of the table, Refusal if reading cannot continue.
 * Source: RFC 4180, and files of banks that deviate from it.
 */
export function readCsv(content: Content, options: ReaderOptions): Statement {
  return readTableFile('csv', content, options, delimitedText);
}

/** What the table of delimited text looks like, in the encoding that its first rows show; null if there is none. */
export function outlineCsv(content: Content): TableOutline | null {
  return outlineIn(content, (text) => delimitedText(text, undefined));
}

/** Reads a file with a table, in the encoding that its rows show. */
export function readTableFile(
  format: 'csv' | 'html',
  content: Content,
  options: ReaderOptions,
  tableOf: (text: FileText, scratch: Scratch | undefined) => TableSource,
): Statement {
  const { encoding: given, scratch } = options;
  // Options do not change the shape of a table.
  let outline =
    given === undefined ? undefined : outlineIn(content, (text) => tableOf(text, scratch));
  return inItsEncoding(content, given, likelyEncoding, (text) => {
    try {
      const source = tableOf(text, scratch);
      const heads = headsOf(source);
      outline ??= outlineOf(heads);
      const table = readTable(source, heads, options);
      const { encoding } = text;
      const mapping = { ...table.mapping, encoding };
      const shape = outline?.shape;
      return { format, encoding, ...table, mapping, ...(shape !== undefined && { shape }) };
    } catch (error) {
      const isOther = !(error instanceof Refusal) || error instanceof NotUtf8;
      if (format !== 'csv' || !text.isFallback || isOther) throw error;
      // The header may exist, but in another encoding.
      const reason = `${error.message} (not valid utf-8, so read as ${text.encoding})`;
      throw new Refusal(reason, error.line, error.column, error.needsColumns);
    }
  });
}
