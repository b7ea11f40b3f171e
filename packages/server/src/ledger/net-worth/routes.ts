import { formatAmount } from '@coffer/core/money';
import { now } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import type { Book } from '../../operations/caller.ts';
import type { CurrencyCode } from '../../operations/currencies.ts';
import { read } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import { Problem } from '../../operations/problem.ts';
import { ok } from '../../operations/responses.ts';
import { liabilities } from '../accounts/anchors.ts';
import { knownAccounts, pointsIn, pointsOf, worthOf } from './actions.ts';
import type { KnownAccount } from './actions.ts';
import { mostPoints, NetWorth, NetWorthQuery } from './schema.ts';

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
