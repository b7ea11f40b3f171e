import { Refusal } from '../statement/statement-error.ts';
import type { Entry, EntryPart } from '../statement/statement.ts';
import type { Resolved } from './balance.ts';
import { currencyOf } from '../statement/currencies.ts';
import { divideEvenly, STEP, type Fixed, abs } from './amount.ts';
import type { Posting, Transaction } from './survey.ts';
import { transferNote } from '../statement/texts.ts';

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

/** Money in or out of one account in one currency, from one or more postings. */
interface OpenMovement extends Movement {
  readonly first: Resolved;
  readonly currency: string | null;
  readonly date: string;
  readonly notes: readonly string[];
  readonly isPending: boolean;
}

/**
 * The entries of a balanced transaction: one for each money account and currency whose cash changes; and how many of
 * its postings to holdings move no cash.
 * Errors: Refusal if an amount has more than four decimals or is out of bounds.
 */
export function entriesOf(
  transaction: Transaction,
  all: readonly Resolved[],
  book: Book,
): { readonly entries: readonly JournalEntry[]; readonly holdings: number } {
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
  checkBounds(amount, posting);
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
  checkBounds(amount, first.posting);
  const [only] = shares;
  const isSplit = shares.length > 1;
  const ownNotes = !isSplit && only?.notes !== null && only !== undefined ? [only.notes] : [];
  const { tags } = transaction;
  return {
    line: first.posting.line,
    date,
    amount: Number(amount),
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
  checkBounds(amount, posting);
  return { amount: Number(amount), payee: null, notes, category };
}

function checkBounds(amount: bigint, { line }: Posting): void {
  if (abs(amount) > MAX_AMOUNT) throw new Refusal('Outside ±900719925474.0991', line);
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

/** Money in or out of one account in one currency. */
export interface Movement {
  /** The account, as the book names it. */
  readonly name: string;
  /** In ten-thousandths. */
  readonly amount: bigint;
  /** Its value in the commodity that balances the transaction. */
  readonly weight: Fixed;
}

/** The reason why money moves: its value as the posting has it, positive for an expense. */
export interface Counterpart {
  readonly weight: Fixed;
  /** Null for a transfer, also into a holding. */
  readonly category: string | null;
  readonly notes: string | null;
}

/** A share of a movement. */
export interface Share {
  readonly amount: bigint;
  readonly category: string | null;
  readonly notes: string | null;
}

/**
 * Divides the counterparts of a transaction among its movements, all in one commodity; the shares of a movement total
 * its amount exactly. If all money goes the same way for one reason, each movement has this reason. Otherwise the
 * largest movement in the direction of their total has all reasons, and is a transfer to or from the others.
 */
function distribute(
  movements: readonly Movement[],
  counterparts: readonly Counterpart[],
): Share[][] {
  const reasons = merged(counterparts);
  const [first] = movements;
  const [reason] = reasons;
  const isOneWay = movements.every(({ weight }) => weight < 0n === first!.weight < 0n);
  if (isOneWay && reasons.length === 1 && reason !== undefined) {
    return movements.map(({ amount }) => [{ ...reason, amount }]);
  }
  const main = mainOf(movements);
  return movements.map((movement) => {
    const { amount } = movement;
    if (movement !== main) return [{ amount, ...transferWith(main.name) }];
    const others = movements.filter((other) => other !== main);
    const transfers = others.map(({ weight, name }) => ({ weight, ...transferWith(name) }));
    return sharesOf(main, merged([...reasons, ...transfers]));
  });
}

/** The reason for money that goes to another account or into a holding. */
function transferWith(account: string): Pick<Share, 'category' | 'notes'> {
  return { category: null, notes: transferNote(account) };
}

/** Adds up counterparts of one category and notes. */
function merged(counterparts: readonly Counterpart[]): Counterpart[] {
  const byKey = new Map<string, Counterpart>();
  for (const one of counterparts) {
    const key = JSON.stringify([one.category, one.notes]);
    byKey.set(key, { ...one, weight: one.weight + (byKey.get(key)?.weight ?? 0n) });
  }
  return [...byKey.values()];
}

function mainOf(movements: readonly Movement[]): Movement {
  const total = movements.reduce((sum, { weight }) => sum + weight, 0n);
  const same = movements.filter(({ weight }) => total === 0n || weight < 0n === total < 0n);
  return same.reduce((main, one) => (abs(one.weight) > abs(main.weight) ? one : main));
}

/** Shares in the currency of the movement. What rounding leaves is added to the largest. */
function sharesOf({ amount, weight }: Movement, counterparts: readonly Counterpart[]): Share[] {
  const shares = counterparts
    .map(({ category, notes, weight: own }) => ({
      category,
      notes,
      amount: weight === 0n ? 0n : divideEvenly(-own * amount, weight),
    }))
    .filter((share) => share.amount !== 0n);
  const [first] = shares;
  if (first === undefined) return [{ amount, category: null, notes: null }];
  const rest = amount - shares.reduce((sum, share) => sum + share.amount, 0n);
  const largest = shares.reduce((one, other) =>
    abs(other.amount) > abs(one.amount) ? other : one,
  );
  const exact = shares.map((share) =>
    share === largest ? { ...share, amount: share.amount + rest } : share,
  );
  return exact.length === 1
    ? [{ ...exact[0]!, amount }]
    : exact.filter((share) => share.amount !== 0n);
}
