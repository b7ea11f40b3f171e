import { Refusal } from '../statement/statement-error.ts';
import type { Entry, EntryPart } from '../statement/statement.ts';
import type { Resolved } from './text/balance.ts';
import { currencyOf } from './text/commodities.ts';
import { divideEvenly, STEP, type Fixed } from './text/decimals.ts';
import {
  distribute,
  transferWith,
  type Counterpart,
  type Movement,
  type Share,
} from './distribute.ts';
import type { Transaction } from './text/journal.ts';

const MAX_AMOUNT = BigInt(Number.MAX_SAFE_INTEGER);

/** What the whole file shows of its accounts and commodities. */
export interface Book {
  readonly isMoney: (account: string) => boolean;
  readonly accountName: (account: string) => string;
  readonly categoryName: (account: string) => string;
  /** Whether amounts without a commodity are money. */
  readonly isBareMoney: boolean;
}

/** An entry and its account, as the file names it. */
export interface JournalEntry {
  readonly entry: Entry;
  readonly account: string;
}

/** The entries of a transaction, and how many of its postings to holdings move no cash. */
export interface JournalEntries {
  readonly entries: readonly JournalEntry[];
  readonly holdings: number;
}

/** Money in or out of one account in one currency, from one or more postings. */
interface OpenMovement extends Movement {
  readonly first: Resolved;
  readonly currency: string | null;
  readonly date: string;
  readonly notes: readonly string[];
  readonly isPending: boolean;
}

/**
 * The entries of a balanced transaction: one for each money account and currency whose cash changes.
 * Errors: Refusal if an amount has more than four decimals or is out of bounds.
 */
export function entriesOf(
  transaction: Transaction,
  all: readonly Resolved[],
  book: Book,
): JournalEntries {
  const movements = movementsOf(transaction, all, book);
  const groups = new Map<string, OpenMovement[]>();
  for (const movement of movements) {
    const commodity = movement.first.weight?.commodity ?? '';
    groups.set(commodity, [...(groups.get(commodity) ?? []), movement]);
  }
  const shares = new Map<OpenMovement, Share[]>();
  for (const [commodity, group] of groups) {
    const reasons = all.filter((one) => one.weight?.commodity === commodity && !isCash(one, book));
    const found = distribute(
      group,
      reasons.map((one) => counterpartOf(one, book)),
    );
    group.forEach((movement, at) => shares.set(movement, all.length === 1 ? [] : found[at]!));
  }
  const entries = movements.map((movement) => ({
    entry: entryOf(transaction, movement, shares.get(movement)!, movements, book),
    account: movement.first.posting.account,
  }));
  const holdings = all.filter((one) => book.isMoney(one.posting.account) && !isCash(one, book));
  return { entries, holdings: holdings.length };
}

function isCash({ posting, commodity, isLot }: Resolved, book: Book): boolean {
  return book.isMoney(posting.account) && !isLot && isMoneyCommodity(commodity, book);
}

function isMoneyCommodity(commodity: string, { isBareMoney }: Book): boolean {
  return commodity === '' ? isBareMoney : currencyOf(commodity) !== null;
}

/** Postings to one account on one day in one commodity are one movement. */
function movementsOf(
  transaction: Transaction,
  all: readonly Resolved[],
  book: Book,
): OpenMovement[] {
  const movements = new Map<string, OpenMovement>();
  for (const one of all) {
    if (!isCash(one, book)) continue;
    const { posting, commodity, weight } = one;
    const date = posting.date ?? transaction.date ?? '';
    const key = JSON.stringify([posting.account, commodity, weight?.commodity, date]);
    const before = movements.get(key);
    const movement: OpenMovement = {
      first: before?.first ?? one,
      name: book.accountName(posting.account),
      amount: (before?.amount ?? 0n) + tenThousandths(one),
      weight: (before?.weight ?? 0n) + (weight?.value ?? 0n),
      currency: currencyOf(commodity),
      date,
      notes: [...(before?.notes ?? []), ...posting.notes],
      isPending: (before?.isPending ?? transaction.isPending) || posting.isPending,
    };
    movements.set(key, movement);
  }
  return [...movements.values()].filter(({ amount }) => amount !== 0n);
}

function tenThousandths({ value, posting, isInferred }: Resolved): bigint {
  if (!isInferred && value % STEP !== 0n) throw new Refusal('More than 4 decimals', posting.line);
  const amount = divideEvenly(value, STEP);
  if (amount > MAX_AMOUNT || amount < -MAX_AMOUNT) {
    throw new Refusal('Outside ±900719925474.0991', posting.line);
  }
  return amount;
}

function counterpartOf(one: Resolved, book: Book): Counterpart {
  const { account, notes } = one.posting;
  const weight: Fixed = one.weight?.value ?? 0n;
  if (book.isMoney(account)) return { weight, ...transferWith(book.accountName(account)) };
  return { weight, category: book.categoryName(account), notes: notes.join('; ') || null };
}

function entryOf(
  transaction: Transaction,
  movement: OpenMovement,
  shares: readonly Share[],
  movements: readonly OpenMovement[],
  book: Book,
): Entry {
  const { first, amount, currency, date, notes, isPending } = movement;
  const [only] = shares;
  const isSplit = shares.length > 1;
  const ownNotes = !isSplit && only?.notes !== null && only !== undefined ? [only.notes] : [];
  const { tags } = transaction;
  return {
    line: first.posting.line,
    date,
    amount: checked(amount, first),
    currency,
    payee: transaction.payee || otherAccount(movement, shares, movements, book),
    notes: [...transaction.notes, ...notes, ...ownNotes].join('; ') || null,
    category: isSplit ? null : (only?.category ?? null),
    account: book.accountName(first.posting.account),
    externalId: null,
    ...(isPending && { isPending }),
    ...(tags.length > 0 && { tags }),
    ...(isSplit && { parts: shares.map((share) => partOf(share, first)) }),
  };
}

function partOf({ amount, category, notes }: Share, { posting }: Resolved): EntryPart {
  if (amount > MAX_AMOUNT || amount < -MAX_AMOUNT) {
    throw new Refusal('Outside ±900719925474.0991', posting.line);
  }
  return { amount: Number(amount), payee: null, notes, category };
}

function checked(amount: bigint, { posting }: Resolved): number {
  if (amount > MAX_AMOUNT || amount < -MAX_AMOUNT) {
    throw new Refusal('Outside ±900719925474.0991', posting.line);
  }
  return Number(amount);
}

/** The other account of a transfer without a payee. */
function otherAccount(
  movement: OpenMovement,
  shares: readonly Share[],
  movements: readonly OpenMovement[],
  book: Book,
): string {
  const isTransfer = shares.length === 1 && shares[0]!.category === null;
  const other = movements.find((one) => one !== movement);
  return isTransfer && other !== undefined ? book.accountName(other.first.posting.account) : '';
}
