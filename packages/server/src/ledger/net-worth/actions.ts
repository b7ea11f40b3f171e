import { addDays, dayNumber, dayOfMonth, monthNumber } from '@coffer/core/dates';
import type { Steps } from '../../db/engine.ts';
import { historyOf, withBalance } from '../accounts/account-proof.ts';
import type { AccountHistory, AccountWithBalance } from '../accounts/account-proof.ts';
import { listAccounts, listPlaidAccounts } from '../accounts/actions.ts';
import { balancesOn } from '../accounts/proof.ts';
import { ratesOf } from '../currencies/actions.ts';
import type { Rates } from '../currencies/actions.ts';

/** All that is known of the balances of an account. */
export interface KnownAccount extends AccountHistory {
  readonly account: AccountWithBalance;
  /** The first day of which a balance is known, or that has a transaction; without both, when it was created. */
  readonly since: string;
  /** The day on which it was closed; of a synced account, the last of which something is known. Null: it is open. */
  readonly until: string | null;
}

/** Returns the manual accounts of a book, and then the synced ones, by id. */
export function* knownAccounts(bookId: number): Steps<KnownAccount[]> {
  const found: KnownAccount[] = [];
  for (const row of yield* listAccounts(bookId)) {
    const known = yield* knownOf(withBalance('manual', row), row.created_at.slice(0, 10));
    found.push({ ...known, until: row.closed_on });
  }
  for (const row of yield* listPlaidAccounts(bookId)) {
    const known = yield* knownOf(withBalance('plaid', row), row.date_linked);
    const last = [known.anchors.at(-1)?.day ?? '', known.days.at(-1)?.date ?? ''].toSorted()[1]!;
    found.push({ ...known, until: row.status === 'closed' ? last : null });
  }
  return found;
}

function* knownOf(
  account: AccountWithBalance,
  created: string,
): Steps<Omit<KnownAccount, 'until'>> {
  const { anchors, days } = yield* historyOf(account);
  const first = [anchors[0]?.day, days[0]?.date].filter((day) => day !== undefined).toSorted()[0];
  return { account, anchors, days, since: first ?? created };
}

/**
 * Returns what an account has at the ends of some days, ascending, as `GET /coffer/accounts/{id}/days` has it, in
 * another currency at the rate of each day, or of the last day before it that has one; 0 without a rate. Null on days
 * before its first and after its last.
 */
export function* worthOf(
  { account, anchors, days, since, until }: KnownAccount,
  wanted: readonly string[],
  currency: string,
): Steps<(bigint | null)[]> {
  const rates = yield* ratesOf();
  const balances = balancesOn(wanted, anchors, days, BigInt(account.balance));
  const worth: (bigint | null)[] = [];
  for (const [at, date] of wanted.entries()) {
    const isKnown = since <= date && (until === null || date <= until);
    const value = { balance: balances[at]!, date, from: account.currency, to: currency };
    worth.push(isKnown ? yield* valueOf(rates, value) : null);
  }
  return worth;
}

interface Valued {
  readonly balance: bigint;
  readonly date: string;
  readonly from: string;
  readonly to: string;
}

function* valueOf(rates: Rates, { balance, date, from, to }: Valued): Steps<bigint> {
  if (from === to) return balance;
  const amount = Number(balance);
  if (!Number.isSafeInteger(amount)) return 0n;
  return BigInt((yield* rates.convert(amount, from, to, date)) ?? 0);
}

/** Days, both ends inclusive. */
export interface DayRange {
  readonly start: string;
  readonly end: string;
}

/** Returns how many points a range has. */
export function pointsIn({ start, end }: DayRange, by: 'month' | 'day'): number {
  return by === 'day'
    ? dayNumber(end) - dayNumber(start) + 1
    : monthNumber(end) - monthNumber(start) + 1;
}

/** Returns the last points of a range, at most some of them, ascending: its days, or the ends of its months. */
export function pointsOf(range: DayRange, by: 'month' | 'day', most: number): string[] {
  const { end } = range;
  const count = Math.min(pointsIn(range, by), most);
  return Array.from({ length: count }, (_, place) => {
    const before = count - 1 - place;
    if (by === 'day') return addDays(end, -before);
    return before === 0 ? end : dayOfMonth(monthNumber(end) - before, 31);
  });
}
