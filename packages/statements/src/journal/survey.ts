import { Refusal, type ProblemList } from '../statement/statement-error.ts';
import {
  MarkEvidence,
  STEP,
  unit,
  type Marks,
  parseAmount,
  type Amount,
  type Dialect,
  type Quantity,
} from './amount.ts';
import { currencyOf } from '../statement/currencies.ts';
import type { StatementWarning, DateOrder } from '../statement/statement.ts';
import { daysIn } from '@coffer/core/dates';
import { parseDate } from '../statement/dates.ts';

const MAX_ACCOUNTS = 20_000;
const MAX_ACCOUNT_LENGTH = 1_000;
const MAX_BALANCES = 100_000;
/** Amounts that follow from prices are rounded, so less than a ten-thousandth is no difference. */
const LEDGER_TOLERANCE = STEP / 2n;

/** A balance that the file states, at a place among the postings. */
export interface Assertion {
  readonly line: number;
  readonly date: string;
  /** Line of the last posting of the day that it includes. */
  readonly at: number;
  readonly account: string;
  readonly quantity: Quantity;
  /** What it may be off by. */
  readonly tolerance: bigint;
  /** Whether it includes the accounts below. */
  readonly isInclusive: boolean;
}

/** What must be known of a whole file before its transactions can be understood. */
export class Survey {
  readonly evidence = new MarkEvidence();
  /** Of postings and pads, in file order. */
  readonly accounts = new Set<string>();
  /** Types of `account` directives, by account, as written. */
  readonly types = new Map<string, string>();
  /** Names of the five top accounts of beancount, by option. */
  readonly tops = new Map<string, string>();
  readonly pads: Pad[] = [];
  /** Balances to check. */
  readonly assertions: Assertion[] = [];
  /** Whether a posting gets its amount from a balance. */
  hasAssignments = false;
  #bareCount = 0;
  #currencyCount = 0;

  /** Whether amounts without a commodity are money: most of the amounts that could be are such. */
  get isBareMoney(): boolean {
    return this.#bareCount > this.#currencyCount;
  }

  /** Whether amounts without a commodity are no money. */
  get hasBareHoldings(): boolean {
    return this.#bareCount > 0 && !this.isBareMoney;
  }

  addAccount(account: string): void {
    if (account.length > MAX_ACCOUNT_LENGTH) {
      throw new Refusal(`Account is longer than ${MAX_ACCOUNT_LENGTH} characters`);
    }
    this.accounts.add(account);
    this.#limit(this.accounts.size, MAX_ACCOUNTS, 'accounts');
  }

  addType(account: string, type: string): void {
    this.types.set(account, type);
    this.#limit(this.types.size, MAX_ACCOUNTS, 'accounts');
  }

  add(item: Item): void {
    if (item.kind === 'transaction') this.#addTransaction(item);
    else if (item.kind === 'balance') this.#addBalance(item);
    else {
      this.pads.push(item);
      this.addAccount(item.account);
      this.addAccount(item.source);
    }
    this.#limit(this.pads.length + this.assertions.length, MAX_BALANCES, 'balances');
  }

  /** The balance of an account of beancount when the day begins. */
  #addBalance(item: BalanceCheck): void {
    const { line, date, account, amount, tolerance } = item;
    const { quantity } = amount;
    if (quantity === null) return;
    this.assertions.push({
      line,
      date,
      at: 0,
      account,
      quantity,
      isInclusive: true,
      tolerance: tolerance ?? beancountTolerance(quantity.places),
    });
  }

  /** The balance of an account of ledger or hledger after a posting, which has its own amount. */
  #addAssertion({ line, account, amount, date: own }: Posting, date: string | null): void {
    const { balance, isInclusive } = amount;
    if (balance === null) return;
    this.assertions.push({
      line,
      date: own ?? date ?? '',
      at: line,
      account,
      quantity: balance,
      isInclusive,
      tolerance: LEDGER_TOLERANCE,
    });
  }

  #addTransaction({ postings, bucket, date }: Transaction): void {
    if (bucket !== null) this.addAccount(bucket);
    for (const posting of postings) {
      const { account, amount } = posting;
      if (amount.quantity !== null) this.#addAssertion(posting, date);
      this.addAccount(account);
      const { quantity, balance } = amount;
      if (quantity?.commodity === '' && quantity.value !== 0n) this.#bareCount += 1;
      else if (quantity !== null && currencyOf(quantity.commodity) !== null) {
        this.#currencyCount += 1;
      }
      if (quantity === null && balance !== null) this.hasAssignments = true;
    }
  }

  #limit(count: number, most: number, what: string): void {
    if (count > most) throw new Refusal(`File has more than ${most} ${what}`);
  }
}

/** How far a balance of beancount may be off by default: one unit of its last decimal. */
export function beancountTolerance(places: number): bigint {
  return places === 0 ? 0n : unit(places);
}

const MAX_WARNINGS = 100;
const MAX_INCLUDES_NAMED = 5;

/** What a journal has in addition to its items. */
export class Notices {
  readonly problems: ProblemList;
  readonly #warnings: StatementWarning[] = [];
  readonly #leftOut = new Map<string, number>();
  readonly #includes: { readonly line: number; readonly path: string }[] = [];
  #includeCount = 0;

  constructor(problems: ProblemList) {
    this.problems = problems;
  }

  get leftOut(): { what: string; count: number }[] {
    return [...this.#leftOut].map(([what, count]) => ({ what, count }));
  }

  /** In file order; those without a line come first. */
  get warnings(): StatementWarning[] {
    const includes = this.#includes.map(({ line, path }) => ({
      line,
      text: `"${path}" is not read: import it as a file of its own`,
    }));
    const all = [...this.#warnings, ...includes].slice(0, MAX_WARNINGS);
    return all.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  }

  /** Whether all postings are read: no other file, and no rule or virtual posting, adds to the balances. */
  get isWhole(): boolean {
    const other = ['virtual posting', 'automated transaction'];
    return this.#includeCount === 0 && !other.some((what) => this.#leftOut.has(what));
  }

  /** Paths of included files; null if there are none. */
  get includedFiles(): string | null {
    const paths = this.#includes.slice(0, MAX_INCLUDES_NAMED).map(({ path }) => `"${path}"`);
    const more = this.#includeCount - paths.length;
    return paths.length === 0 ? null : paths.join(', ') + (more > 0 ? ` and ${more} more` : '');
  }

  warn(line: number | null, text: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push({ line, text });
  }

  include(line: number, path: string): void {
    this.#includeCount += 1;
    if (this.#includes.length < MAX_WARNINGS)
      this.#includes.push({ line, path: path.slice(0, 200) });
  }

  leaveOut(what: string, count = 1): void {
    if (count > 0) this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + count);
  }
}

/** What a reader of lines uses and adds to. */
export class Reading {
  readonly survey: Survey;
  readonly notices: Notices;
  readonly marks: Marks;
  /** Given by the user. */
  readonly #dateOrder: DateOrder | undefined;
  /** The transaction whose lines are read. */
  open: OpenTransaction | null = null;

  constructor(survey: Survey, notices: Notices, marks: Marks, dateOrder: DateOrder | undefined) {
    this.survey = survey;
    this.notices = notices;
    this.marks = marks;
    this.#dateOrder = dateOrder;
  }

  /** Adds a problem with a line, of which the open transaction is a part. */
  problem(line: number, value: string, reason: string): void {
    if (this.open !== null) this.open.isInvalid = true;
    this.notices.problems.add(line, null, value, reason);
  }

  /** The day of a transaction, with the order of dates that the user gave; null after a problem. */
  dayOfTransaction(text: string, line: number, defaultYear: number | null): string | null {
    return this.day(text, line, defaultYear, this.#dateOrder);
  }

  /** A day; null after a problem. */
  day(text: string, line: number, defaultYear: number | null, order?: DateOrder): string | null {
    const day = parseDay(text, defaultYear, order);
    if (typeof day !== 'string') return day.date;
    this.problem(line, text, day);
    return null;
  }

  /** An amount; null after a problem, which shows the text in which it is. */
  amount(text: string, dialect: Dialect, line: number, shown = text): Amount | null {
    try {
      return parseAmount(text, dialect, this.marks, line);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.problem(line, shown, error.message);
      return null;
    }
  }
}

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
function parseDay(
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
