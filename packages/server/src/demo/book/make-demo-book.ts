import { formatAmount } from '@coffer/core/money';
import {
  moved,
  movedAnchor,
  spanUntil,
  wholeSpan,
  dayAt,
  dayOn,
  rates,
  toUsd,
  monthNames,
  type Span,
} from './calendar.ts';
import type { DemoBook, DemoTransaction, DemoFile, DemoAsset, DemoHistory } from './demo-book.ts';
import { draftPurchases, draftSchedule, Random, type Draft } from './drafts.ts';
import {
  categories,
  indexOf,
  manualAccounts,
  places,
  plaidAccounts,
  tags,
  budgets,
  crypto,
  recurringItems,
  rules,
  openedIn,
} from './household.ts';
import type { Place } from './household.ts';
import { trips } from './spending.ts';

export interface DemoOptions {
  /** Rows of every kind, 100 to 1,000,000; default 12,000. */
  readonly transactions?: number;
  /** 0 to 2^32 - 1; default 1. */
  readonly seed?: number;
  /** The last day, `YYYY-MM-DD`, of the years 2000 to 2999; see {@link makeDemoBook}. */
  readonly until?: string;
}

/**
 * Generates ten years of a household's records, 2016-11-01 to 2026-10-31, with exactly the given number of rows.
 *
 * Equal options give equal books on every machine, in every time zone, on every run; the seed changes details, never
 * the structure. Rows are sorted by date, parents before their children. Foreign amounts are converted to US dollars at
 * the invented rates of the book, rounded half to even. Throws a RangeError for options out of bounds.
 *
 * With a last day `until`, the book ends on that day: all dates are moved by the same number of months, and nothing is
 * later. Then no recurring item misses its transaction, as its last one is not pending.
 */
export function makeDemoBook(options: DemoOptions = {}): DemoBook {
  const size = wholeNumber('Transactions', options.transactions ?? 12_000, 100, 1_000_000);
  const random = new Random(wholeNumber('Seed', options.seed ?? 1, 0, 4_294_967_295));
  const { until } = options;
  const span = until === undefined ? wholeSpan : spanUntil(until);
  const schedule = draftSchedule(size, random, span.last).sort((one, other) => one.day - other.day);
  const ledger = new Ledger(span, until === undefined ? [] : recurringItems);
  let next = 0;
  for (const purchase of draftPurchases(size - schedule.length, random, span.last)) {
    for (; Number(schedule[next]?.day) <= purchase.day; next += 1)
      ledger.write(schedule[next]!, random);
    ledger.write(purchase, random);
  }
  for (const draft of schedule.slice(next)) ledger.write(draft, random);
  const { transactions } = ledger;
  const made = {
    manualAccounts,
    plaidAccounts: [...plaidAccounts].map(([key, account]) => {
      return { ...account, balance: ledger.owed.get(key) ?? account.balance };
    }),
  };
  const accounts = until === undefined ? made : raised(made, transactions, span);
  return {
    name: 'Demo Household',
    primaryCurrency: 'usd',
    ...accounts,
    categories,
    tags,
    transactions,
    rates,
    recurringItems,
    budgets,
    rules,
    ...crypto,
    ...(until !== undefined && {
      ...movedTables(accounts, span, until),
      madeAt: `${until}T00:00:00.000Z`,
    }),
    history: historyOf(accounts, crypto, transactions, { span }),
    files: receiptsOf(transactions),
  };
}

/** The steps in which balances are raised: a hundred dollars, pounds or euros. */
const raisedBy = 1_000_000;

/** Returns accounts of which none was overdrawn at the end of a month: where money was missing, there is more now. */
function raised(
  accounts: Accounts,
  transactions: readonly DemoTransaction[],
  span: Span,
): Accounts {
  const months = { months: monthNames, span };
  const noCrypto = { manualCrypto: [], syncedCrypto: [] };
  const lowest = new Map<string, number>();
  for (const { kind, account, balance } of historyOf(accounts, noCrypto, transactions, months)) {
    const key = `${kind} ${account}`;
    lowest.set(key, Math.min(lowest.get(key) ?? 0, balance));
  }
  const raise =
    (kind: 'manual' | 'plaid') =>
    <A extends Account>(each: A, at: number): A => {
      const missing = liabilities.includes(each.type) ? 0 : -(lowest.get(`${kind} ${at}`) ?? 0);
      return { ...each, balance: each.balance + Math.ceil(missing / raisedBy) * raisedBy };
    };
  return {
    manualAccounts: accounts.manualAccounts.map(raise('manual')),
    plaidAccounts: accounts.plaidAccounts.map(raise('plaid')),
  };
}

/** Returns what the tables of the book have dates in, moved, without rates after the last day. */
function movedTables({ manualAccounts, plaidAccounts }: Accounts, { months }: Span, until: string) {
  return {
    plaidAccounts,
    manualAccounts: manualAccounts.map(({ closed_on, ...each }) => {
      return closed_on === undefined ? each : { ...each, closed_on: moved(closed_on, months) };
    }),
    // Trips have the year in their names.
    tags: tags.map((tag, at) => {
      const start = trips[at]?.cells[1];
      if (start === undefined) return tag;
      return { ...tag, name: tag.name.replace(/\d{4}$/, moved(start, months).slice(0, 4)) };
    }),
    rates: rates
      .map((rate) => ({ ...rate, date: moved(rate.date, months) }))
      .filter(({ date }) => date <= until),
    recurringItems: recurringItems.map((item) => {
      return { ...item, anchor_date: movedAnchor(item.anchor_date, months) };
    }),
    budgets: budgets.map((budget) => ({ ...budget, start_date: moved(budget.start_date, months) })),
  };
}

function wholeNumber(name: string, value: number, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${name} must be a whole number from ${least} to ${most}, not "${value}"`);
  }
  return value;
}

const secondCardOpens = dayOn('2018-05-01');
/** Days before the last one: since when rows are pending, and purchases may be withdrawn. */
const [pendingDays, takenBackDays] = [3, 46];
/** The sync service's metadata of a row is kept for about a year. */
const metadataDays = 400;
const noTags: readonly number[] = [];
/** The payment to a card on which nothing is owed. */
const leastPayment = 250_000;

/** Converts drafts, in the order of the book, into its transactions. */
export class Ledger {
  readonly transactions: DemoTransaction[] = [];
  /** The debt on each card, in ten-thousandths of a US dollar. */
  readonly owed = new Map(['travelCard', 'cashBackCard'].map((card) => [card, 0]));
  /** The debts at the end of the month before. */
  #statements = new Map(this.owed);
  #month = '';
  #takenBack = 0;
  readonly #parents = new Map<Draft | undefined, number>();
  readonly #span: Span;
  readonly #neverPending: ReadonlySet<string>;

  /** Rows with the payees of the recurring items are never pending. */
  constructor(span = wholeSpan, items: DemoBook['recurringItems'] = []) {
    this.#span = span;
    this.#neverPending = new Set(items.map(({ payee }) => payee));
  }

  /** Throws an Error for a part whose parent has not been written. */
  write(draft: Draft, random: Random): void {
    const { monthName } = dayAt(draft.day);
    if (monthName !== this.#month) this.#statements = new Map(this.owed);
    this.#month = monthName;
    const { counterpart } = draft;
    const due = this.#statements.get(counterpart?.account ?? '');
    if (counterpart !== undefined && due !== undefined) {
      // A payment to a card pays its statement, in whole cents.
      draft.amount = Math.max(Math.round(due / 100) * 100, leastPayment);
      counterpart.amount = -draft.amount;
    }
    // Before the second card was opened, the first one is used.
    const isEarly = draft.account === 'cashBackCard' && draft.day < secondCardOpens;
    const account = isEarly ? 'travelCard' : draft.account;
    const row = this.#finish(draft, places.get(account)!, random);
    const owed = this.owed.get(account);
    if (owed !== undefined && row.splitParent === null) this.owed.set(account, owed + row.to_base);
    if (draft.parentOf !== undefined) this.#parents.set(draft, this.transactions.length);
    this.transactions.push(row);
  }

  #finish(draft: Draft, place: Place, random: Random): DemoTransaction {
    const { day, amount, currency, payee, category, parent, parentOf, bankName } = draft;
    const parentIndex = this.#parents.get(parent) ?? null;
    if (parent !== undefined && parentIndex === null) {
      throw new Error(`The parent "${parent.payee}" must be written first`);
    }
    const isPart = parent?.parentOf === 'split';
    const source = isPart ? 'split' : parentOf === 'group' ? 'api' : place.source;
    const status =
      this.transactions[parentIndex ?? -1]?.status ?? this.#review(draft, place, random);
    const isOpen = bankName !== undefined && random.chance(status === 'unreviewed' ? 25 : 1);
    const { manualAccount, plaidAccount, idPrefix } = place;
    return {
      date: this.#dateOf(day),
      amount,
      currency,
      to_base: draft.to_base ?? toUsd(amount, currency, day),
      payee,
      original_name: originalName(draft, source),
      notes: draft.notes ?? null,
      category: category === undefined || isOpen ? null : indexOf(category),
      manualAccount,
      plaidAccount,
      tags: draft.tags?.map(indexOf) ?? noTags,
      status,
      is_pending: plaidAccount !== null && this.#isNew(day) && !this.#neverPending.has(payee),
      source,
      external_id: source === 'csv' ? `${idPrefix}-${this.transactions.length}` : null,
      is_split_parent: parentOf === 'split',
      is_group_parent: parentOf === 'group',
      splitParent: isPart ? parentIndex : null,
      groupParent: isPart ? null : parentIndex,
      plaid_metadata: source === 'plaid' ? this.#plaidMetadata(draft, random) : null,
      custom_metadata: parentOf === undefined ? customMetadata(random) : null,
    };
  }

  /** Most of the last two weeks is not reviewed yet. The bank withdraws two purchases of the weeks before. */
  #review(draft: Draft, { source }: Place, random: Random): DemoTransaction['status'] {
    const { day, amount, bankName } = draft;
    const age = this.#span.last - day;
    const percentOpen = age <= 14 ? 93 : age <= 35 ? 28 : age <= 365 ? 0.4 : 0;
    if ((source === 'plaid' && this.#isNew(day)) || random.chance(percentOpen)) return 'unreviewed';
    const isPurchase = bankName !== undefined && source === 'plaid' && amount > 0;
    if (!isPurchase || age > takenBackDays || this.#takenBack === 2) return 'reviewed';
    this.#takenBack += 1;
    return 'delete_pending';
  }

  #dateOf(day: number): string {
    return moved(dayAt(day).date, this.#span.months);
  }

  #isNew(day: number): boolean {
    return day >= this.#span.last - pendingDays;
  }

  #plaidMetadata(draft: Draft, random: Random): string | null {
    const { day, payee, currency, bankName } = draft;
    if (day < this.#span.last - metadataDays) return null;
    const idPart = () => random.integer(0, 2_176_782_335).toString(36).padStart(7, 'q');
    return JSON.stringify({
      transaction_id: idPart() + idPart() + idPart() + idPart(),
      merchant_name: bankName === undefined ? null : payee,
      iso_currency_code: currency.toUpperCase(),
      authorized_date: this.#dateOf(day - random.integer(0, 2)),
      payment_channel: bankName === undefined ? 'other' : 'in store',
    });
  }
}

/** Banks print capitals; manual rows before 2018 have no original name. */
function originalName(draft: Draft, source: string | null): string | null {
  if (source === 'manual' && dayAt(draft.day).year < 2018) return null;
  if (source !== 'plaid' && source !== 'csv') return draft.payee;
  return draft.bankName ?? draft.payee.toUpperCase();
}

/** Data that a script of the household stored on about one row in a hundred. */
function customMetadata(random: Random): string | null {
  if (!random.chance(0.8)) return null;
  const receipt = { number: random.integer(10_000, 99_999), pages: 1 };
  return JSON.stringify({ receipt, mood: random.pick(['🙂', '😬', '🤷']) });
}

const mostReceipts = 3;

/** Returns receipts for the last purchases with a warranty; in a small book without one, for the last purchases. */
function receiptsOf(transactions: readonly DemoTransaction[]): DemoFile[] {
  const purchases = [...transactions.keys()].filter((at) => isPurchase(transactions[at]!));
  const tag = indexOf('warranty');
  const withWarranty = purchases.filter((at) => transactions[at]!.tags.includes(tag));
  const chosen = withWarranty.length === 0 ? purchases : withWarranty;
  return chosen.slice(-mostReceipts).map((at) => receiptOf(at, transactions[at]!));
}

function isPurchase({ status, amount, is_group_parent, splitParent }: DemoTransaction): boolean {
  return status === 'reviewed' && amount > 0 && !is_group_parent && splitParent === null;
}

function receiptOf(transaction: number, row: DemoTransaction): DemoFile {
  const { date, payee, amount, currency } = row;
  const total = `${formatAmount(amount).slice(0, -2)} ${currency.toUpperCase()}`;
  return {
    transaction,
    name: `receipt-${date}.pdf`,
    notes: 'Two years of warranty',
    bytes: pdfOf(['RECEIPT', asciiOf(payee), date, `Total: ${total}`, 'Thank you']),
  };
}

/** The fonts that every reader has know few characters. */
function asciiOf(text: string): string {
  return text.normalize('NFD').replaceAll(/[^ -~]/g, '');
}

/** Returns a document of one page with lines of ASCII text. */
function pdfOf(lines: readonly string[]): Uint8Array {
  const shown = lines.map((line) => `(${line.replaceAll(/[\\()]/g, String.raw`\$&`)}) Tj T*`);
  const content = `BT /F1 12 Tf 18 TL 24 168 Td\n${shown.join('\n')}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 280 200] /Contents 4 0 R ' +
      '/Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return new TextEncoder().encode(text + table + trailer);
}

/** Money out raises what is owed on these accounts. */
const liabilities = ['credit', 'loan'];

/** The months of the book's history. More would make it slow to fill. */
const historyMonths = monthNames.slice(-60);

/** Months with a known balance of crypto assets. */
const cryptoMonths = monthNames.slice(-24);

type Accounts = Pick<DemoBook, 'manualAccounts' | 'plaidAccounts'>;
type Crypto = Pick<Required<DemoBook>, 'manualCrypto' | 'syncedCrypto'>;
type Account = DemoBook['manualAccounts'][number];

/**
 * Returns the balances at the ends of months in which an account was open, by account and month. The balance of the
 * last month is the present one, and each one before it is without the transactions of the later months. Accounts and
 * `months` are those of the tables, transactions and entries are in the span.
 */
export function historyOf(
  { manualAccounts, plaidAccounts }: Accounts,
  { manualCrypto, syncedCrypto }: Crypto,
  transactions: readonly DemoTransaction[],
  { months = historyMonths, span = wholeSpan }: { months?: readonly string[]; span?: Span } = {},
): DemoHistory[] {
  const sums = sumsByMonth(transactions);
  const entriesOf = (kind: 'manual' | 'plaid') => (each: Account, account: number) =>
    balancesOf(each, sums.get(`${kind} ${account}`), months, span).map((entry) => ({
      kind,
      account,
      ...entry,
    }));
  return [
    ...manualAccounts.flatMap(entriesOf('manual')),
    ...plaidAccounts.flatMap(entriesOf('plaid')),
    ...manualCrypto.flatMap((asset, account) =>
      valuesOf(asset, span).map((entry) => ({
        kind: 'crypto_manual' as const,
        account,
        symbol: null,
        ...entry,
      })),
    ),
    ...syncedCrypto.flatMap(({ balances }, account) =>
      balances.flatMap((asset) =>
        valuesOf(asset, span).map((entry) => ({
          kind: 'crypto_synced' as const,
          account,
          symbol: asset.symbol,
          ...entry,
        })),
      ),
    ),
  ];
}

/** The totals of each month by account, debit positive. All rows of an account count in its currency. */
function sumsByMonth(transactions: readonly DemoTransaction[]): Map<string, Map<string, number>> {
  const sums = new Map<string, Map<string, number>>();
  for (const { manualAccount, plaidAccount, splitParent, date, ...row } of transactions) {
    if (splitParent !== null || (manualAccount === null && plaidAccount === null)) continue;
    const key = manualAccount === null ? `plaid ${plaidAccount}` : `manual ${manualAccount}`;
    const ofAccount = sums.get(key) ?? new Map<string, number>();
    sums.set(key, ofAccount);
    const month = date.slice(0, 7);
    const amount = manualAccount === null ? row.to_base : row.amount;
    ofAccount.set(month, (ofAccount.get(month) ?? 0) + amount);
  }
  return sums;
}

function balancesOf(
  { name, type, currency, balance: last, closed_on = '9999' }: Account,
  sums: ReadonlyMap<string, number> | undefined,
  months: readonly string[],
  span: Span,
) {
  const [first, end] = [openedIn.get(name) ?? '', closed_on.slice(0, 7)];
  const isKnown = (month: string) => month >= first && month <= end && months.includes(month);
  const sign = liabilities.includes(type) ? 1 : -1;
  let balance = last;
  const entries = [];
  for (const month of monthNames.toReversed()) {
    const to_base = toUsd(balance, currency, Math.min(dayOn(`${month}-31`), span.last));
    const place = moved(month, span.months);
    const known = { symbol: null, month: place, balance, currency, to_base, quantity: null };
    if (isKnown(month)) entries.push(known);
    balance -= sign * (sums?.get(place) ?? 0);
  }
  return entries.reverse();
}

/** The value follows an invented price, which rises slowly and varies from month to month. */
function valuesOf({ quantity, to_base }: DemoAsset, span: Span) {
  return cryptoMonths.map((month, at) => {
    const later = cryptoMonths.length - 1 - at;
    const thousandths = 1000 - 18 * later + (later % 3) * 25;
    const balance = Math.round((to_base * thousandths) / 100_000) * 100;
    const place = moved(month, span.months);
    return { month: place, balance, currency: 'usd', to_base: balance, quantity };
  });
}
