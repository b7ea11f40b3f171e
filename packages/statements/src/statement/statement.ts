import type { Scratch } from './kept.ts';
import { quote } from '@coffer/core/text';

/** The orders of the parts of a date, with any separator. */
export const DATE_ORDERS = ['y-m-d', 'd/m/y', 'm/d/y'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** The decimal signs: between an amount's units and its fraction. */
export const DECIMAL_SIGNS = ['point', 'comma'] as const;
export type Decimal = (typeof DECIMAL_SIGNS)[number];

/** The bytes of a statement. */
export interface StatementSource {
  /**
   * Opens the file at its first byte. Called once for a reading; a second time, for the same bytes, where text beyond
   * ASCII is valid UTF-8 for 64 KiB or more, and later text is not.
   */
  open(): Iterable<Uint8Array>;
  /** A place for what was read and does not fit in memory. Default: none, so that all of it is in memory. */
  scratch?(): Scratch;
}

/** A supported format; `ofx` includes QFX. */
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

export const STATEMENT_FORMATS = [
  'csv',
  'ofx',
  'html',
  'xlsx',
  'qif',
  'mt940',
  'mt942',
  'camt',
  'beancount',
  'hledger',
  'ledger',
] as const;

/** Settings for what cannot be detected. All are optional; most files need none. */
export interface StatementOptions {
  /** Overrides the detected format. */
  format?: StatementFormat;
  /** The column of each part of an entry. CSV only. */
  map?: ColumnMap;
  /** The order of the parts of a date, with any separator. CSV and QIF only. */
  dateFormat?: DateOrder;
  /** The decimal sign of the amounts. */
  decimal?: Decimal;
  /** The file shows money out as positive. */
  negate?: boolean;
  /** The currency of entries whose currency is not in the file: three letters. CSV and HTML only. */
  currency?: string;
  /** Reads the valid rows and lists the others in {@link Statement.badRows}. CSV and HTML only. */
  skipBadRows?: boolean;
  /** Imports years before 1900 and more than a year after `today` as they are; by default they are refused. */
  anyYear?: boolean;
  /** The day of the import, `YYYY-MM-DD`. Default: not known, so that years up to 2099 are accepted. */
  today?: string;
  /** Whether the account is known to be one of a card. Default: the file shows it. */
  isCard?: boolean;
  /** A WHATWG label; default: UTF-8 if the whole file is valid UTF-8, else what it declares, or windows-1252. */
  encoding?: string;
  /** Maximum bytes of content, inclusive; default 2 GiB. */
  maxBytes?: number;
}

/** One line of a statement: money in or out of an account. */
export interface Entry {
  /** Physical line of the file on which the entry begins, counted from 1. */
  line: number;
  /** `YYYY-MM-DD`, a day of the calendar. */
  date: string;
  /** Ten-thousandths of a unit of currency, an integer within ±(2^53 − 1); money out is negative. */
  amount: number;
  /** Three lower-case letters; whether such a currency exists is not checked here. */
  currency: string | null;
  /** Single spaces between words; empty if the file has none. */
  payee: string;
  notes: string | null;
  category: string | null;
  account: string | null;
  externalId: string | null;
  /** Whether the bank has not booked it yet. Default: false. */
  isPending?: boolean;
  /** Names of its tags. Default: none. */
  tags?: readonly string[];
  /** What a split entry consists of: two parts or more, which total its amount. Default: it is not split. */
  parts?: readonly EntryPart[];
  /**
   * The other side's account, missing if the file does not say it: its number without blanks, which is an IBAN or as
   * the bank writes it, perhaps after the number of its bank and a slash; or its name, in QIF.
   */
  otherAccount?: string;
  /** For OFX and CAMT: what the external id was derived from. Missing if the bank gave no id, and for CSV. */
  bankId?: BankId;
}

/** A part of a split entry. Null: as the entry has it. */
export interface EntryPart {
  /** Ten-thousandths, like {@link Entry.amount}. */
  amount: number;
  payee: string | null;
  notes: string | null;
  category: string | null;
}

/** The id that the bank gave an entry. */
export interface BankId {
  /** As written in the file, of any length. */
  readonly id: string;
  /** Position among equal entries of one statement, from 1. */
  readonly nth: number;
  /** Whether the file contains the id more than once; rarely true for an id that it contains once. */
  readonly isRepeated: boolean;
}

/** A balance of an account, as stated by the bank. */
export interface Balance {
  /** `opening`: before the entries; `ledger`: all booked entries; `available`: what may be spent. */
  kind: 'opening' | 'ledger' | 'available';
  /** Ten-thousandths, like {@link Entry.amount}; debts are negative. */
  amount: number;
  /** `YYYY-MM-DD`; null if the bank gives neither a day nor the end of a period. */
  date: string | null;
}

/** An account with a statement in the file. */
export interface StatementAccount {
  /** The value of {@link Entry.account} for its entries; unique within the file. */
  name: string;
  /** The whole number of the account. */
  id: string;
  /** The number of the bank or broker; null if the file has none. */
  bankId: string | null;
  /** Lower case, such as `checking`, `credit card` or `investment`. */
  type: string;
  currency: string | null;
  /** 0 for a statement without entries. */
  entryCount: number;
  /** In file order. A balance with an invalid amount is left out. */
  balances: readonly Balance[];
}

/** The balances of the entries with one account in a table. */
export interface StatedBalances {
  /** The value of {@link Entry.account} for these entries. */
  readonly account: string | null;
  readonly currency: string | null;
  readonly balances: readonly Balance[];
}

/** Something in a file that is not an entry, such as 3 purchases of shares. */
export interface LeftOut {
  /** In the singular: `securities transaction`. */
  what: string;
  count: number;
}

/** Something that a user should know about a file that is read: it may have been meant otherwise. */
export interface StatementWarning {
  /** Physical line of the file, counted from 1; null for the file as a whole. */
  readonly line: number | null;
  /** One sentence without a period. */
  readonly text: string;
}

/** A problem of a file, and its place. */
export interface StatementProblem {
  /** Physical line of the file, counted from 1. */
  line: number;
  /** The column's name in the header, or `column 3` if it has none; a tag as `<TRNAMT>`; null: the whole line. */
  column: string | null;
  /** The cell as written in the file, cut after 200 characters; null if the problem is not in a single cell. */
  value: string | null;
  reason: string;
  /** What it could be, with the option that makes it so; missing if no option helps. */
  choices?: readonly ProblemChoice[];
  /** Whether the columns of the table are not known: a map is needed. */
  needsColumns?: true;
}

/** One way to read something that can be read in several. */
export interface ProblemChoice {
  /** What it means, in a few words, such as `2026-03-02 (d/m/y)`. */
  readonly label: string;
  readonly options: {
    readonly map?: ColumnMap;
    readonly dateFormat?: DateOrder;
    readonly decimal?: Decimal;
    readonly negate?: boolean;
    readonly anyYear?: boolean;
  };
}

/** Rows that could not be read. */
export interface BadRows {
  readonly count: number;
  /** In file order; the first 100. A row may have several. */
  readonly problems: readonly StatementProblem[];
}

/** A column of a table. */
export interface SeenColumn {
  /** Counted from 1. */
  readonly number: number;
  /** As in the header, cut after 200 characters; empty if it has none. */
  readonly name: string;
  /** The first value that is not blank among the first rows, cut after 40 characters; empty if there is none. */
  readonly sample: string;
}

/** What a column of a table became. */
export interface MappedColumn {
  readonly key: ColumnKey;
  /** Counted from 1. */
  readonly number: number;
  /** As in the header; empty if it has none. */
  readonly name: string;
  /**
   * Whether it is used only where the first column of this key is blank. Such notes are added to the others; such an
   * account is that of money in.
   */
  readonly isFallback: boolean;
}

/** How a table was read. */
export interface TableMapping {
  /** By number. Columns that are not used, such as the balance, are included. */
  readonly columns: readonly MappedColumn[];
  /** All columns of the table. */
  readonly seen: readonly SeenColumn[];
  readonly dateOrder: DateOrder;
  readonly decimal: Decimal;
  /** Whether all signs were changed, because money out is positive in the file. */
  readonly isNegated: boolean;
  /** Null for a table of HTML. */
  readonly delimiter: string | null;
  readonly encoding: string;
}

/** What a reader finds in the text of a file. */
export type StatementContent = Omit<Statement, 'format' | 'encoding'>;

/** A file that was examined completely and has no problem. */
export interface Statement {
  readonly format: StatementFormat;
  /** The encoding's WHATWG name, such as `utf-8` or `windows-1252`. */
  readonly encoding: string;
  readonly entryCount: number;
  /** Transactions of a journal, which give one entry or more each, or are left out. Missing for other formats. */
  readonly transactionCount?: number;
  /** The accounts that the file names, in file order; for CSV only one above the table, as entries may name theirs. */
  readonly accounts: readonly StatementAccount[];
  /** The balances that a table states, which its entries prove where it has them before and after. Default: none. */
  readonly stated?: readonly StatedBalances[];
  /** What was left out on purpose. */
  readonly leftOut: readonly LeftOut[];
  /** Rows that were skipped because of `skipBadRows`; null or missing if there is none. */
  readonly badRows?: BadRows | null;
  /** In file order; at most 100. Default: none. */
  readonly warnings?: readonly StatementWarning[];
  /** Whether it is an export of Coffer, of which an empty payee is no missing one. Default: false. */
  readonly isOwn?: boolean;
  /** Undefined for formats without columns. */
  readonly mapping?: TableMapping;
  /** A fingerprint of the table, the same for another file of the same bank: see {@link TableOutline.shape}. */
  readonly shape?: string;
  /**
   * Streams the entries in file order, from what was kept of the file; may be called more than once.
   */
  entries(): Iterable<Entry>;
}

/** The parts of an entry that a column can hold. */
export const COLUMN_KEYS = [
  'date',
  'amount',
  'debit',
  'credit',
  'direction',
  'payee',
  'notes',
  'category',
  'account',
  'currency',
  'external_id',
  'tags',
  'status',
  'fee',
  'balance',
] as const;

export type ColumnKey = (typeof COLUMN_KEYS)[number];

/** The column of each part of an entry: a header's name, a column's number counted from 1, or empty for none. */
export type ColumnMap = Partial<Record<ColumnKey, string>>;

/** The parts that an entry needs. */
const NEEDED: readonly ColumnKey[] = ['date', 'amount', 'debit', 'credit'];

// One `key=value` with its comma; the value bare, or in quotes with inner quotes doubled.
const PART = /([^=,"]*)=(?:\s*"((?:[^"]|"")*)"\s*|([^",]*))(?:,|$)/y;

/**
 * Parses a column map such as `date=Datum,amount=4,payee="Name, first"`.
 * A name that contains a comma or a quote is written in quotes, with inner quotes doubled. Spaces around a part are
 * ignored. Nothing after `=` means no column: `account=`.
 * Errors: RangeError that names the invalid part and the known keys.
 */
export function parseColumnMap(text: string): ColumnMap {
  const map: ColumnMap = {};
  for (let at = 0; at < text.length || at === 0;) {
    PART.lastIndex = at;
    const part = PART.exec(text);
    if (part === null) throw mapError(text.slice(at), 'does not have the form key=column');
    addPart(map, part);
    at = PART.lastIndex;
    if (at === text.length && part[0].endsWith(',')) throw mapError('', 'is empty');
  }
  return map;
}

function addPart(map: ColumnMap, part: RegExpExecArray): void {
  const shown = part[0].replace(/,$/, '').trim();
  const key = COLUMN_KEYS.find((known) => known === part[1]?.trim().toLowerCase());
  const column = part[2] === undefined ? (part[3] ?? '').trim() : part[2].replaceAll('""', '"');
  if (key === undefined) throw mapError(shown, 'has an unknown key');
  const isOff = part[2] === undefined && column === '' && !NEEDED.includes(key);
  if (column.trim() === '' && !isOff) throw mapError(shown, 'has no column');
  if (map[key] !== undefined) throw mapError(shown, `repeats the key "${key}"`);
  map[key] = column;
}

function mapError(part: string, reason: string): RangeError {
  return new RangeError(
    `Column map: part "${part}" ${reason}. The keys are ${COLUMN_KEYS.join(', ')}`,
  );
}

/** The options for reading a file, as a user gives them. Those with a fixed set of values have one of them. */
export interface OptionTexts extends Pick<
  StatementOptions,
  'format' | 'dateFormat' | 'decimal' | 'negate' | 'skipBadRows' | 'anyYear'
> {
  /** Columns by name or number, such as `date=Datum,amount=4`. */
  readonly map?: string;
  readonly encoding?: string;
  readonly currency?: string;
}

/** An option with an invalid value, and why, in a sentence that quotes the value. */
interface OptionProblem {
  readonly option: 'map' | 'encoding' | 'currency';
  readonly reason: string;
}

/** Returns the options for reading a file, and the problems of all that are not valid. */
export function readOptions(texts: OptionTexts): {
  readonly options: StatementOptions;
  readonly problems: readonly OptionProblem[];
} {
  const { map, encoding, currency, ...rest } = texts;
  const problems: OptionProblem[] = [];
  const read = <T>(
    option: OptionProblem['option'],
    text: string | undefined,
    parse: (text: string) => T,
  ): Partial<Record<OptionProblem['option'], T>> => {
    if (text === undefined) return {};
    try {
      return { [option]: parse(text) };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.push({ option, reason: error.message });
      return {};
    }
  };
  const options = {
    ...rest,
    ...read('map', map, parseColumnMap),
    ...read('encoding', encoding, parseEncoding),
    ...read('currency', currency, parseCurrency),
  } as StatementOptions;
  return { options, problems };
}

function parseEncoding(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new RangeError(`${quote(label)} is not a known encoding`);
  }
}

function parseCurrency(code: string): string {
  if (/^[a-z]{3}$/i.test(code)) return code.toLowerCase();
  throw new RangeError(`${quote(code)} is not a currency code of three letters`);
}
