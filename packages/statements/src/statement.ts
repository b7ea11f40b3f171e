import type { ColumnMap } from './column-map.ts';
import type { DateOrder } from './dates.ts';
import type { Decimal } from './amounts.ts';

/** Where the bytes of a statement come from. */
export interface StatementSource {
  /** Reads the file from its first byte; called more than once, and must give the same bytes each time. */
  open(): Iterable<Uint8Array>;
}

/** What the file itself does not say. All are optional; most files need none. */
export interface StatementOptions {
  /** Which column holds what: a header's name, or a column's number counted from 1. */
  map?: ColumnMap;
  /** The order of a date's parts, whatever separates them. */
  dateFormat?: DateOrder;
  /** The decimal sign of the amounts. */
  decimal?: Decimal;
  /** The file shows money out as positive. */
  negate?: boolean;
  /** A WHATWG encoding label; default: UTF-8 if the whole file is valid UTF-8, else windows-1252. */
  encoding?: string;
  /** The most bytes of unpacked content that are read, inclusive; default 2 GiB. */
  maxBytes?: number;
}

/** One line of a statement: money that moved. */
export interface Entry {
  /** Physical line of the file on which the entry begins, counted from 1. */
  line: number;
  /** `YYYY-MM-DD`, a day of the calendar. */
  date: string;
  /** Ten-thousandths of a unit of currency, an integer within ±(2^53 − 1); money out is negative. */
  amount: number;
  /** Three lower-case letters; whether such a currency exists is not checked here. */
  currency: string | null;
  /** Single blanks between words; empty if the file names none. */
  payee: string;
  notes: string | null;
  category: string | null;
  account: string | null;
  externalId: string | null;
}

/** A file that was examined from end to end and can be read without a problem. */
export interface Statement {
  readonly format: 'csv';
  /** The encoding's WHATWG name, such as `utf-8` or `windows-1252`. */
  readonly encoding: string;
  readonly entryCount: number;
  /**
   * Streams the entries in file order, reading the source once more; may be called again.
   * Errors: StatementError if the source no longer gives what was examined.
   */
  entries(): Iterable<Entry>;
}
