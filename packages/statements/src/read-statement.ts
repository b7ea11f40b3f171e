import { content, MAX_CONTENT_BYTES } from './bytes/content.ts';
import { detectFormat, type DetectedFormat } from './detect-format.ts';
import {
  type OpenBytes,
  declaredByXml,
  decode,
  fallbackOf,
  inItsEncoding,
  NotUtf8,
} from './bytes/encoding.ts';
import { readCamt } from './bank/camt/read-camt.ts';
import { outlineCsv, readCsv } from './csv/read-csv.ts';
import type { TableOutline } from './csv/table/outline.ts';
import { outlineHtml, readHtml } from './table/html/read-html.ts';
import { readMt } from './bank/mt/read-mt.ts';
import { readJournalOf } from './journal/read-journal.ts';
import { readQif } from './bank/qif/read-qif.ts';
import { readXlsx } from './table/xlsx/read-xlsx.ts';
import { Refusal, ProblemList } from './statement/statement-error.ts';
import { withPossibleYears, YearSurvey, type ReaderOptions } from './statement/years.ts';
import type {
  Statement,
  StatementFormat,
  StatementOptions,
  StatementSource,
  Entry,
  StatementAccount,
} from './statement/statement.ts';
import { accountKey, nameAccounts } from './bank/ofx/accounts.ts';
import { readEntry, ThousandsDoubt, type EntryReading } from './bank/ofx/entry.ts';
import { examineRepeated, type RepeatedIds, type Settle } from './bank/ofx/ids.ts';
import { MarkupReader } from './bank/ofx/markup.ts';
import { Outline, type RawAccount } from './bank/ofx/outline.ts';
import { fileChanged, secondPass } from './statement/second-pass.ts';
import { SignDoubt } from './statement/sign-doubt.ts';

const DELETION = 'deletion of an earlier entry';
const REPEATED = 'repetition of an entry';

/**
 * Reads OFX 1 (SGML), OFX 2 (XML) and QFX, and examines all of it: bank and credit card statements, and the cash
 * entries of investment statements.
 * Errors: StatementError with every problem of the file, Refusal if reading cannot continue or there is no statement.
 * Source: Open Financial Exchange 1.6 and 2.3, and files of banks that deviate from it.
 */
function readOfx(openBytes: OpenBytes, options: ReaderOptions): Statement {
  if (options.map !== undefined) throw new Refusal('A column map is for CSV, but this file is OFX');
  const [head] = openBytes();
  const fallback = declaredCharset(head ?? new Uint8Array());
  return inItsEncoding(openBytes, options.encoding, fallback, (encoding) =>
    readAs(encoding, openBytes, options),
  );
}

function readAs(encoding: string, openBytes: OpenBytes, options: ReaderOptions): Statement {
  const pass = (): Pass => new Pass(decode(openBytes(), encoding), options);
  const examined = examineRepeated((settle) => count(pass(), settle, options.years));
  const { statements, entryCounts, leftOut, signs } = examined;
  const entryCount = entryCounts.reduce((sum, count) => sum + count, 0);
  const accounts = nameAccounts(statements, entryCounts, options.decimal);
  return {
    format: 'ofx',
    encoding,
    entryCount,
    accounts: accounts.accounts,
    leftOut: [...leftOut].map(([what, count]) => ({ what, count })),
    ...(options.negate === undefined && signs.warnings.length > 0 && { warnings: signs.warnings }),
    entries: () => secondPass(streamEntries(pass(), examined, accounts.byStatement), entryCount),
  };
}

/** The content of a file, after repeated ids were found. */
interface Examined {
  readonly ids: RepeatedIds;
  readonly statements: readonly RawAccount[];
  /** By the index of the statement. */
  readonly entryCounts: readonly number[];
  readonly leftOut: ReadonlyMap<string, number>;
  readonly signs: SignDoubt;
}

interface FoundEntry {
  readonly entry: Entry;
  readonly account: RawAccount;
  readonly direction: number;
}

/** One pass over the file. */
class Pass {
  readonly problems = new ProblemList();
  readonly outline = new Outline(this.problems);
  readonly #tags: MarkupReader;
  readonly #reading: EntryReading;

  constructor(text: Iterable<string>, options: ReaderOptions) {
    this.#tags = new MarkupReader(text);
    this.#reading = {
      decimal: options.decimal,
      negate: options.negate ?? false,
      doubt: new ThousandsDoubt(),
      problems: this.problems,
    };
  }

  /** Valid entries. At the end of the file, or where reading cannot continue, throws every problem. */
  *entries(): Generator<FoundEntry> {
    try {
      for (const raw of this.outline.entries(this.#tags)) {
        const read = readEntry(raw, this.#reading);
        if (read?.isDeletion === true) this.outline.countLeftOut(DELETION);
        else if (read !== null) yield { ...read, account: raw.account };
      }
    } catch (error) {
      if (!(error instanceof Refusal) || error instanceof NotUtf8) throw error;
      this.problems.addRefusal(error, this.#tags.line);
    }
    this.#reading.doubt.finish(this.problems);
    this.problems.throwIfAny();
  }
}

/** Counts the entries of each statement that `settle` accepts. */
function count(pass: Pass, settle: Settle, years: YearSurvey): Omit<Examined, 'ids'> {
  years.begin('<DTPOSTED>');
  const entryCounts: number[] = [];
  const signs = new SignDoubt();
  for (const { entry, account, direction } of pass.entries()) {
    const { index } = account;
    if (!settle(accountKey(account), index, entry)) pass.outline.countLeftOut(REPEATED);
    else {
      entryCounts[index] = (entryCounts[index] ?? 0) + 1;
      years.note(entry.line, entry.date);
      signs.note({ ...entry, direction });
    }
  }
  const { accounts: statements, leftOut } = pass.outline;
  const counts = statements.map((_, at) => entryCounts[at] ?? 0);
  return { statements, entryCounts: counts, leftOut, signs };
}

function* streamEntries(
  pass: Pass,
  { ids }: Examined,
  accounts: readonly StatementAccount[],
): Generator<Entry> {
  const settle = ids.begin();
  for (const { entry, account } of pass.entries()) {
    if (!settle(accountKey(account), account.index, entry)) continue;
    const name = accounts[account.index]?.name;
    if (name === undefined) throw fileChanged();
    yield { ...entry, account: name };
  }
}

const LOOKED_AT_BYTES = 4096;

/** The fallback encoding: `CHARSET:` of an OFX 1 header, or that of an XML declaration. */
function declaredCharset(head: Uint8Array): string {
  const text = Buffer.from(head.subarray(0, LOOKED_AT_BYTES)).toString('latin1');
  const charset = /CHARSET:([\w-]{1,20}?)(?=COMPRESSION|[^\w-])/.exec(text)?.[1];
  return charset === undefined ? declaredByXml(head) : fallbackOf(charset);
}

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
  beancount: readJournalOf('beancount'),
  hledger: readJournalOf('hledger'),
  ledger: readJournalOf('ledger'),
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
