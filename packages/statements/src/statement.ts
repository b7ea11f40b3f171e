import type { ColumnMap } from './column-map.ts';
import type { DateOrder } from './dates.ts';
import type { Decimal } from './amounts.ts';

/** Where the bytes of a statement come from. */
export interface StatementSource {
  /** Reads the file from its first byte; called more than once, and must give the same bytes each time. */
  open(): Iterable<Uint8Array>;
}

/** A kind of file that is read; `ofx` is QFX too. */
export type StatementFormat = 'csv' | 'ofx';

/** What the file itself does not say. All are optional; most files need none. */
export interface StatementOptions {
  /** The format to read the file in, whatever its content says of itself. */
  format?: StatementFormat;
  /** Which column holds what: a header's name, or a column's number counted from 1. For CSV alone. */
  map?: ColumnMap;
  /** The order of a date's parts, whatever separates them. For CSV alone. */
  dateFormat?: DateOrder;
  /** The decimal sign of the amounts. */
  decimal?: Decimal;
  /** The file shows money out as positive. */
  negate?: boolean;
  /** A WHATWG encoding label; default: UTF-8 if the whole file is valid UTF-8, else what it names, or windows-1252. */
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
  /** For OFX: what the external id was made of. Missing where the bank gave none, and for CSV. */
  bankId?: BankId;
}

/** The id that the bank gave an entry. */
export interface BankId {
  /** As it stands in the file, however long. */
  readonly id: string;
  /** Which of several equal entries of one statement it is, from 1. */
  readonly nth: number;
  /** Whether the file has the id more than once; now and then it says so where it has not. */
  readonly isRepeated: boolean;
}

/** What an account held, as the bank says. */
export interface Balance {
  /** `ledger`: all that is booked; `available`: what may be spent. */
  kind: 'ledger' | 'available';
  /** Ten-thousandths, as {@link Entry.amount}; debts are negative. */
  amount: number;
  /** `YYYY-MM-DD`; null if the bank gives no day. */
  date: string | null;
}

/** An account that a file has a statement of. */
export interface StatementAccount {
  /** What entries say as their account: of one file, each account has a name of its own. */
  name: string;
  /** The bank's number of the account, whole. */
  id: string;
  /** The bank's or broker's own number; null if the file names none. */
  bankId: string | null;
  /** Lower case, such as `checking`, `credit card` or `investment`. */
  type: string;
  currency: string | null;
  /** Entries of this account; 0 for a statement of a time in which nothing moved. */
  entryCount: number;
  /** In file order. One whose amount does not read is not here. */
  balances: readonly Balance[];
}

/** What stands in a file and is no entry, such as 3 purchases of shares. */
export interface LeftOut {
  /** In the singular: `securities transaction`. */
  what: string;
  count: number;
}

/** A file that was examined from end to end and can be read without a problem. */
export interface Statement {
  readonly format: StatementFormat;
  /** The encoding's WHATWG name, such as `utf-8` or `windows-1252`. */
  readonly encoding: string;
  readonly entryCount: number;
  /** Accounts that the file itself sets apart, in file order; none for CSV, where each entry may name its own. */
  readonly accounts: readonly StatementAccount[];
  /** What was passed over knowingly; empty if nothing was. */
  readonly leftOut: readonly LeftOut[];
  /**
   * Streams the entries in file order, reading the source once more; may be called again.
   * Errors: StatementError if the source no longer gives what was examined.
   */
  entries(): Iterable<Entry>;
}
