import { readCamt } from './bank/camt/read-camt.ts';
import { readMt } from './bank/mt/read-mt.ts';
import { declaredCharset, readOfx } from './bank/ofx/read-ofx.ts';
import { readQif } from './bank/qif/read-qif.ts';
import {
  Content,
  MAX_CONTENT_BYTES,
  declaredByXml,
  inItsEncoding,
  usualFallback,
} from './bytes/content.ts';
import { detectFormat, isJournal, type JournalFormat } from './bytes/detect-format.ts';
import { outlineCsv, readCsv } from './csv/read-table.ts';
import type { TableOutline } from './csv/table/layout.ts';
import { readJournalOf } from './journal/read-journal.ts';
import { AS_TEXT, Kept } from './statement/kept.ts';
import { Refusal } from './statement/statement-error.ts';
import type {
  Statement,
  StatementContent,
  StatementFormat,
  StatementOptions,
  StatementSource,
} from './statement/statement.ts';
import { withPossibleYears, YearSurvey, type ReaderOptions } from './statement/dates.ts';
import { outlineHtml, readHtml } from './table/html.ts';
import { readXlsx } from './table/xlsx/sheet.ts';

const SPREADSHEET =
  'Of spreadsheets, only .xlsx without a password is supported: save the sheet as CSV, and import that file';

type Reader = (content: Content, options: ReaderOptions) => Statement;

/** Reads the text of a file from its first character to its last. */
type ReadText = (text: Iterable<string>, options: ReaderOptions) => StatementContent;

/** Reads a format without columns. `fallback`: the encoding of a file that is not valid UTF-8, by its first bytes. */
function textReader(
  format: StatementFormat,
  read: ReadText,
  fallback: (head: Uint8Array) => string = usualFallback,
): Reader {
  return (content, options) => {
    if (options.map !== undefined)
      throw new Refusal(
        `A column map is for CSV, but this ${isJournal(format) ? 'is a journal' : `file is ${format.toUpperCase()}`}`,
      );
    return inItsEncoding(content, options.encoding, fallback, (text) => {
      const found = read(text.whole(), options);
      return { format, encoding: text.encoding, ...found };
    });
  };
}

/** Reads a journal, whose text is gone through several times. */
function journalReader(format: JournalFormat): Reader {
  const read = readJournalOf(format);
  return textReader(format, (text, options) => {
    const kept = new Kept(text, AS_TEXT, options.scratch);
    return read(() => kept, options);
  });
}

const readers: Readonly<Record<StatementFormat, Reader>> = {
  csv: readCsv,
  html: readHtml,
  xlsx: readXlsx,
  camt: textReader('camt', readCamt, declaredByXml),
  ofx: textReader('ofx', readOfx, declaredCharset),
  mt940: textReader('mt940', (text, options) => readMt(text, options, false)),
  mt942: textReader('mt942', (text, options) => readMt(text, options, true)),
  qif: textReader('qif', readQif),
  beancount: journalReader('beancount'),
  hledger: journalReader('hledger'),
  ledger: journalReader('ledger'),
};

/**
 * Finds the table of a file by its first rows, whether or not the file can be read; null for formats without columns,
 * and for a text that no table can be found in.
 */
export function outlineTable(
  source: StatementSource,
  { format, maxBytes }: Pick<StatementOptions, 'format' | 'maxBytes'> = {},
): TableOutline | null {
  try {
    const content = new Content(source, maxBytes ?? MAX_CONTENT_BYTES);
    try {
      const found = format ?? (content.first === null ? null : detectFormat(content.first));
      if (found === 'csv') return outlineCsv(content);
      return found === 'html' ? outlineHtml(content) : null;
    } finally {
      content.close();
    }
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/**
 * Reads a bank's file: detects its format and examines all of it before any entry is used. The file is opened and read
 * once; what was read is kept in memory up to a bound, and beyond it in the source's {@link StatementSource.scratch}.
 * Unpack a packed file with {@link gunzip} or {@link unzip} first.
 * Edges: a header or an account without entries gives an empty statement; an empty file is refused.
 * Errors: StatementError with every problem of the file; any error of the source.
 */
export function readStatement(source: StatementSource, options: StatementOptions = {}): Statement {
  try {
    const content = new Content(source, options.maxBytes ?? MAX_CONTENT_BYTES);
    try {
      const years = new YearSurvey(options.today);
      const read = readers[formatOf(content, options)];
      const statement = read(content, { ...options, years, scratch: source.scratch?.() });
      return withPossibleYears(statement, years, options);
    } finally {
      content.close();
    }
  } catch (error) {
    throw error instanceof Refusal ? error.at(1) : error;
  }
}

function formatOf({ first }: Content, options: StatementOptions): StatementFormat {
  if (first === null) throw new Refusal('File is empty');
  const format = options.format ?? detectFormat(first);
  if (format === 'spreadsheet' || format === 'xls') throw new Refusal(SPREADSHEET);
  if (format === 'pdf')
    throw new Refusal('PDF files are not supported: use CSV, OFX, CAMT or MT940');
  return format;
}
