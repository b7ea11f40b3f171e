import { content, MAX_CONTENT_BYTES } from './bytes/content.ts';
import { detectFormat } from './detect-format.ts';
import type { DetectedFormat } from './detect-format.ts';
import type { OpenBytes } from './bytes/encoding.ts';
import { readCamt } from './bank/camt/read-camt.ts';
import { outlineCsv, readCsv } from './csv/read-csv.ts';
import type { TableOutline } from './csv/table/outline.ts';
import { outlineHtml, readHtml } from './table/html/read-html.ts';
import { readMt } from './bank/mt/read-mt.ts';
import { readJournalOf } from './journal/read-journal.ts';
import { readOfx } from './bank/ofx/read-ofx.ts';
import { readQif } from './bank/qif/read-qif.ts';
import { readXlsx } from './table/xlsx/read-xlsx.ts';
import { Refusal } from './statement/statement-error.ts';
import { withPossibleYears, YearSurvey, type ReaderOptions } from './statement/years.ts';
import type {
  Statement,
  StatementFormat,
  StatementOptions,
  StatementSource,
} from './statement/statement.ts';

const SPREADSHEET =
  'Of spreadsheets, only .xlsx without a password is supported: save the sheet as CSV, and import that file';

type Reader = (openBytes: OpenBytes, options: ReaderOptions) => Statement;

const readers: Partial<Record<DetectedFormat, Reader>> = {
  csv: readCsv,
  html: readHtml,
  xlsx: readXlsx,
  camt: readCamt,
  ofx: readOfx,
  mt940: (openBytes, options) => readMt(openBytes, options, 'mt940'),
  mt942: (openBytes, options) => readMt(openBytes, options, 'mt942'),
  qif: readQif,
  ...{
    beancount: readJournalOf('beancount'),
    hledger: readJournalOf('hledger'),
    ledger: readJournalOf('ledger'),
  },
} satisfies Record<StatementFormat, Reader>;

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
    const read = readers[format];
    if (read !== undefined) {
      const years = new YearSurvey(options.today);
      return withPossibleYears(read(openBytes, { ...options, years }), years, options);
    }
    if (format === 'spreadsheet' || format === 'xls') throw new Refusal(SPREADSHEET);
    throw new Refusal(
      `${format.toUpperCase()} files are not supported: use CSV, OFX, CAMT or MT940`,
    );
  } catch (error) {
    throw error instanceof Refusal ? error.at(1) : error;
  }
}
