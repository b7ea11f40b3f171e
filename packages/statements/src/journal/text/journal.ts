import type { Amount } from './amount.ts';

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

/** Single spaces between words. */
export function singleBlanks(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
