import { addDays, dayNumber, dayOfMonth, monthNumber } from '@coffer/core/dates';
import { now, type Steps } from '../db/engine.ts';
import { historyOf, withBalance } from './accounts/account-proof.ts';
import type { AccountHistory, AccountWithBalance } from './accounts/account-proof.ts';
import { listAccounts, listPlaidAccounts } from './accounts/actions.ts';
import { balancesOn } from './accounts/proof.ts';
import { ratesOf, type Rates } from './currencies/actions.ts';
import { Type, type Static } from 'typebox';
import {
  amount,
  closed,
  Currency,
  date,
  day,
  listOf,
  nullable,
  object,
  optional,
  reference,
  someId,
  word,
} from '../operations/schema.ts';
import { formatAmount } from '@coffer/core/money';
import type { Book } from '../operations/caller.ts';
import type { CurrencyCode } from '../operations/currencies.ts';
import { read, type Operation } from '../operations/operation.ts';
import { Problem } from '../operations/problem.ts';
import { ok } from '../operations/responses.ts';
import { liabilities } from './accounts/anchors.ts';

/** Days in one response. */
const mostPoints = 1200;

/** The query of GET /coffer/net_worth. */
const NetWorthQuery = closed({
  start_date: optional(
    day(
      'First day, inclusive; not later than `end_date`. Without it, the first day of which something is known, but at ' +
        `most ${mostPoints} days or months before the last.`,
    ),
  ),
  end_date: optional(day('Last day, inclusive; by default today, in UTC.')),
  by: word(['month', 'day'], {
    default: 'month',
    description:
      '`month`: the last day of each month, and `end_date`. `day`: each day. ' +
      `The range has at most ${mostPoints} of them.`,
  }),
});
export type NetWorthQuery = Static<typeof NetWorthQuery>;

const WorthDay = object(
  'WorthDay',
  'What the accounts have at the end of a day, in the primary currency.',
  {
    date: date('The day.'),
    assets: amount('What accounts have that are no debts.'),
    debts: amount(
      'What is owed, positive: accounts of type `credit`, `loan` and `other liability`.',
    ),
    net: amount('`assets` less `debts`.'),
  },
  { example: { date: '2026-05-31', assets: '1129.4900', debts: '80.0000', net: '1049.4900' } },
);

const AccountWorth = object(
  'AccountWorth',
  'What an account has at the end of each of the days.',
  {
    kind: word(['manual', 'plaid'], { description: 'Kind of the account.' }),
    id: someId('Id of the account.'),
    balances: Type.Array(nullable(amount('In the primary currency; debts are negative.')), {
      description:
        'One for each of `days`, in their order. Null before the first day of which something is known, and after ' +
        'the account was closed.',
    }),
  },
  { example: { kind: 'manual', id: 3, balances: ['1129.4900'] } },
);

export const NetWorth = object('NetWorth', 'What the accounts of a book have, by day.', {
  currency: reference(Currency, 'The primary currency of the book, in which all amounts are.'),
  days: listOf(WorthDay, 'Ascending.'),
  accounts: listOf(AccountWorth, 'The accounts that have a balance on one of the days.'),
});
export type NetWorth = Static<typeof NetWorth>;

/** All that is known of the balances of an account. */
export interface KnownAccount extends AccountHistory {
  readonly account: AccountWithBalance;
  /** The first day of which a balance is known, or that has a transaction; without both, when it was created. */
  readonly since: string;
  /** The day on which it was closed; of a synced account, the last of which something is known. Null: it is open. */
  readonly until: string | null;
}

/** Returns the manual accounts of a book, and then the synced ones, by id. */
function* knownAccounts(bookId: number): Steps<KnownAccount[]> {
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
function* worthOf(
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
function pointsIn({ start, end }: DayRange, by: 'month' | 'day'): number {
  return by === 'day'
    ? dayNumber(end) - dayNumber(start) + 1
    : monthNumber(end) - monthNumber(start) + 1;
}

/** Returns the last points of a range, at most some of them, ascending: its days, or the ends of its months. */
function pointsOf(range: DayRange, by: 'month' | 'day', most: number): string[] {
  const { end } = range;
  const count = Math.min(pointsIn(range, by), most);
  return Array.from({ length: count }, (_, place) => {
    const before = count - 1 - place;
    if (by === 'day') return addDays(end, -before);
    return before === 0 ? end : dayOfMonth(monthNumber(end) - before, 31);
  });
}

/** The operation of this folder. */
export const netWorthRoutes: readonly Operation[] = [
  read(
    {
      id: 'getNetWorth',
      // It reads the days of all accounts.
      size: 'unbounded',
      path: '/coffer/net_worth',
      tag: 'balance-history',
      summary: 'Get the net worth of the past',
      description:
        'Returns what the manual and synced accounts have at the ends of days or months, by the balances that are ' +
        'known and the transactions between them, as `GET /coffer/accounts/{id}/days` has them; no month needs to be ' +
        'recorded. An account counts from the first day of which something is known. An account in another currency ' +
        'counts at the rate of each day, or of the last day before it that has one, and without a rate as 0. Crypto ' +
        'has no transactions, and deleted accounts have none any more: for these see `GET /v2/balance_history`.',
      query: NetWorthQuery,
      response: ok(NetWorth, 'The net worth.'),
    },
    function* ({ identity, query }) {
      return yield* netWorthOf(identity.book, query);
    },
    // The rates are not part of the book.
    { isVolatile: true },
  ),
];

/** Returns the net worth of a book by day. Throws a Problem for a range that is turned or too long. */
export function* netWorthOf(
  { id, primaryCurrency: currency }: Pick<Book, 'id' | 'primaryCurrency'>,
  query: NetWorthQuery,
): Steps<NetWorth> {
  const { by, end_date: end = (yield* now()).slice(0, 10) } = query;
  refuseRange(query, end);
  const known = yield* knownAccounts(id);
  const dates = pointsOf({ start: query.start_date ?? firstOf(known, end), end }, by, mostPoints);
  const totals = dates.map((date) => ({ date, assets: 0n, debts: 0n }));
  const accounts: NetWorth['accounts'] = [];
  for (const each of known) {
    const { kind, id, type } = each.account;
    const worth = yield* worthOf(each, dates, currency);
    if (worth.every((value) => value === null)) continue;
    for (const [at, value] of worth.entries())
      if (liabilities.has(type)) totals[at]!.debts -= value ?? 0n;
      else totals[at]!.assets += value ?? 0n;
    const balances = worth.map((value) => (value === null ? null : formatAmount(value)));
    accounts.push({ kind, id, balances });
  }
  const days = totals.map(({ date, assets, debts }) => {
    const [has, owed, net] = [assets, debts, assets - debts].map(formatAmount);
    return { date, assets: has!, debts: owed!, net: net! };
  });
  return { currency: currency as CurrencyCode, days, accounts };
}

function firstOf(known: readonly KnownAccount[], end: string): string {
  return [end, ...known.map(({ since }) => since)].toSorted()[0]!;
}

function refuseRange({ start_date: start, by }: NetWorthQuery, end: string): void {
  if (start === undefined) return;
  const points = pointsIn({ start, end }, by);
  if (start <= end && points <= mostPoints) return;
  const errMsg =
    start > end
      ? `Query parameter start_date must not be later than end_date "${end}", not "${start}"`
      : `Query parameter start_date must be at most ${mostPoints} ${by}s before "${end}", not ${points}: "${start}"`;
  throw new Problem('validation', { details: [{ errMsg, instancePath: '/query/start_date' }] });
}
