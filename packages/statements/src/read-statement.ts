import { readCamt } from './bank/camt/read-camt.ts';
import { readMt } from './bank/mt/read-mt.ts';
import { declaredCharset, readOfx } from './bank/ofx/read-ofx.ts';
import { readQif } from './bank/qif/read-qif.ts';
import { content, MAX_CONTENT_BYTES } from './bytes/content.ts';
import { detectFormat, isJournal } from './bytes/detect-format.ts';
import {
  declaredByXml,
  decode,
  inItsEncoding,
  usualFallback,
  type OpenBytes,
  type OpenText,
} from './bytes/encoding.ts';
import { outlineCsv, readCsv } from './csv/read-csv.ts';
import type { TableOutline } from './csv/table/outline.ts';
import { readJournalOf } from './journal/read-journal.ts';
import { Refusal } from './statement/statement-error.ts';
import type {
  Statement,
  StatementContent,
  StatementFormat,
  StatementOptions,
  StatementSource,
} from './statement/statement.ts';
import { withPossibleYears, YearSurvey, type ReaderOptions } from './statement/years.ts';
import { outlineHtml, readHtml } from './table/html.ts';
import { readXlsx } from './table/xlsx/sheet.ts';

const SPREADSHEET =
  'Of spreadsheets, only .xlsx without a password is supported: save the sheet as CSV, and import that file';

type Reader = (openBytes: OpenBytes, options: ReaderOptions) => Statement;

/** Reads a format without columns. `fallback`: the encoding of a file that is not valid UTF-8, by its first bytes. */
function textReader(
  format: StatementFormat,
  read: (openText: OpenText, options: ReaderOptions) => StatementContent,
  fallback: (head: Uint8Array) => string = usualFallback,
): Reader {
  return (openBytes, options) => {
    if (options.map !== undefined)
      throw new Refusal(
        `A column map is for CSV, but this ${isJournal(format) ? 'is a journal' : `file is ${format.toUpperCase()}`}`,
      );
    return inItsEncoding(openBytes, options.encoding, fallback, (encoding) => {
      const content = read(() => decode(openBytes(), encoding), options);
      return { format, encoding, ...content };
    });
  };
}

const readers: Readonly<Record<StatementFormat, Reader>> = {
  csv: readCsv,
  html: readHtml,
  xlsx: readXlsx,
  camt: textReader('camt', readCamt, declaredByXml),
  ofx: textReader('ofx', readOfx, declaredCharset),
  mt940: textReader('mt940', (openText, options) => readMt(openText, options, false)),
  mt942: textReader('mt942', (openText, options) => readMt(openText, options, true)),
  qif: textReader('qif', readQif),
  beancount: textReader('beancount', readJournalOf('beancount')),
  hledger: textReader('hledger', readJournalOf('hledger')),
  ledger: textReader('ledger', readJournalOf('ledger')),
};

/**
 * Finds the table of a file by its first rows, whether or not the file can be read; null for formats without columns,
 * and for a text that no table can be found in.
 */
export function outlineTable(
  source: StatementSource,
  { format, maxBytes }: Pick<StatementOptions, 'format' | 'maxBytes'> = {},
): TableOutline | null {
  const openBytes = () => content(source, maxBytes ?? MAX_CONTENT_BYTES);
  try {
    const [head] = openBytes();
    const found = format ?? (head === undefined ? null : detectFormat(head));
    if (found === 'csv') return outlineCsv(openBytes);
    return found === 'html' ? outlineHtml(openBytes) : null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/**
 * Reads a bank's file: detects its format and examines all of it before any entry is used. Memory does not grow with
 * the file. Unpack a packed file with {@link gunzip} or {@link unzip} first.
 * Edges: a header or an account without entries gives an empty statement; an empty file is refused.
 * Errors: StatementError with every problem of the file; any error of the source.
 */
export function readStatement(source: StatementSource, options: StatementOptions = {}): Statement {
  const openBytes = () => content(source, options.maxBytes ?? MAX_CONTENT_BYTES);
  try {
    const [head] = openBytes();
    if (head === undefined) throw new Refusal('File is empty');
    const format = options.format ?? detectFormat(head);
    if (format === 'spreadsheet' || format === 'xls') throw new Refusal(SPREADSHEET);
    if (format === 'pdf')
      throw new Refusal('PDF files are not supported: use CSV, OFX, CAMT or MT940');
    const years = new YearSurvey(options.today);
    return withPossibleYears(readers[format](openBytes, { ...options, years }), years, options);
  } catch (error) {
    throw error instanceof Refusal ? error.at(1) : error;
  }
}
