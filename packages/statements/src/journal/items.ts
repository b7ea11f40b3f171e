import type { Amount } from './amount.ts';
import { daysIn } from '@coffer/core/dates';
import { parseDate } from '../statement/dates.ts';
import { Refusal } from '../statement/statement-error.ts';
import { type DateOrder } from '../statement/statement.ts';

/** A transaction as written. */
export interface Transaction {
  readonly kind: 'transaction';
  readonly line: number;
  /** `YYYY-MM-DD`; null after a problem with it. */
  readonly date: string | null;
  readonly isPending: boolean;
  readonly payee: string;
  /** Narration, note after `|`, comments, and the code. */
  readonly notes: readonly string[];
  readonly tags: readonly string[];
  readonly postings: readonly Posting[];
  /** The account that balances the transaction if no posting does. */
  readonly bucket: string | null;
  /** Whether a part of it is invalid, which is reported. */
  readonly isInvalid: boolean;
}

/** A posting as written, to a real account. */
export interface Posting {
  readonly line: number;
  readonly account: string;
  readonly isPending: boolean;
  /** Its own date, if it has one. */
  readonly date: string | null;
  readonly notes: readonly string[];
  readonly amount: Amount;
}

/** `pad` of beancount: the next balance of the account sets its amount. */
export interface Pad {
  readonly kind: 'pad';
  readonly line: number;
  readonly date: string;
  readonly account: string;
  readonly source: string;
}

/** `balance` of beancount: what the account has when the day begins. */
export interface BalanceCheck {
  readonly kind: 'balance';
  readonly line: number;
  readonly date: string;
  readonly account: string;
  readonly amount: Amount;
  /** What it may be off by; null: what its decimals show. */
  readonly tolerance: bigint | null;
}

export type Item = Transaction | Pad | BalanceCheck;

const MAX_POSTINGS = 10_000;

/** A transaction that is being read. */
export class OpenTransaction {
  readonly kind = 'transaction';
  readonly line: number;
  readonly date: string | null;
  isPending = false;
  payee = '';
  code = '';
  isInvalid: boolean;
  readonly tags: string[] = [];
  readonly postings: OpenPosting[] = [];
  readonly comments: string[] = [];
  bucket: string | null = null;

  constructor(line: number, date: string | null) {
    this.line = line;
    this.date = date;
    this.isInvalid = date === null;
  }

  /** Errors: Refusal at too many postings. */
  add(posting: OpenPosting): void {
    if (this.postings.length >= MAX_POSTINGS)
      throw new Refusal(`Transaction has more than ${MAX_POSTINGS} postings`, this.line);
    this.postings.push(posting);
  }

  finish(): Transaction {
    const { kind, line, date, isPending, payee, postings, bucket, isInvalid } = this;
    const code = this.code === '' ? [] : [`No. ${this.code}`];
    const notes = [...this.comments, ...code];
    const tags = [...new Set(this.tags)];
    return { kind, line, date, isPending, payee, notes, tags, postings, bucket, isInvalid };
  }
}

/** A posting that comments can still follow. */
export interface OpenPosting extends Posting {
  date: string | null;
  readonly notes: string[];
}

export const NO_AMOUNT: Amount = {
  quantity: null,
  commodity: null,
  cost: null,
  price: null,
  balance: null,
  isInclusive: false,
};

const DATE = /^(?:(\d{4})[-/.])?(\d{1,2})[-/.](\d{1,2})$/;

/**
 * A calendar day from `2024-01-31`, `2024/1/31` or `2024.1.31`, or `1/31` with a default year; else the reason. A
 * given order comes first.
 */
export function parseDay(
  text: string,
  defaultYear: number | null,
  order: DateOrder = 'y-m-d',
): { date: string } | string {
  const given = order === 'y-m-d' ? null : parseDate(text, order);
  if (given !== null) return { date: given };
  const match = DATE.exec(text);
  if (match === null) return 'Not a date';
  const year = match[1] === undefined ? defaultYear : Number(match[1]);
  if (year === null) return 'Date has no year: write a line such as "Y2024" above it';
  const [month, day] = [Number(match[2]), Number(match[3])];
  if (year < 1 || day < 1 || day > daysIn(year, month)) return 'Not a date';
  const date = [[year, 4] as const, [month, 2] as const, [day, 2] as const];
  return { date: date.map(([part, digits]) => String(part).padStart(digits, '0')).join('-') };
}
