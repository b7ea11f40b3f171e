import { unitsOf, unitsOfNumber } from '../formats/money.ts';
import type { AccountHistory, ManualAccount, PlaidAccount, Schemas } from '../types.ts';
import { wealthKindOf, type BalanceSeries } from './net-worth.ts';

/** What the balances of the accounts of a book by month are made of. */
export interface KnownBalances {
  readonly manual: readonly Pick<ManualAccount, 'id' | 'type' | 'status'>[];
  readonly plaid: readonly Pick<PlaidAccount, 'id' | 'type' | 'status'>[];
  /** The balances that were recorded for months, and the present ones. */
  readonly history: readonly AccountHistory[];
  /** What accounts had at the ends of months, by their known balances and their transactions. */
  readonly past: Schemas['NetWorth'];
}

/**
 * Returns the balances of each account with its kind. A month has the balance that was recorded for it, and without one
 * what the account had by its known balances and its transactions.
 */
export function seriesOf({ manual, plaid, history, past }: KnownBalances): BalanceSeries[] {
  const recorded = new Map(history.map((each, place) => [keyOf(each.source, place), each]));
  const followed = new Map(past.accounts.map((each) => [`${each.kind}:${each.id}`, each.balances]));
  const accounts = new Map<string, KindSource>([
    ...manual.map((each) => [`manual:${each.id}`, each] as const),
    ...plaid.map((each) => [`plaid:${each.id}`, each] as const),
  ]);
  return [...new Set([...recorded.keys(), ...followed.keys()])].map((key) => {
    const known = recorded.get(key);
    const { kind, isOpen } = kindOf(known?.source, accounts.get(key));
    const sign = kind === 'debts' ? -1n : 1n;
    const months = new Map<string, bigint>();
    for (const [place, balance] of (followed.get(key) ?? []).entries())
      if (balance !== null) months.set(past.days[place]!.date.slice(0, 7), sign * unitsOf(balance));
    for (const { month, to_base } of known?.balances ?? [])
      months.set(month, unitsOfNumber(to_base));
    const balances = [...months].map(([month, units]) => ({ month, units }));
    return {
      key,
      kind,
      isOpen,
      balances: balances.toSorted((a, b) => (a.month < b.month ? -1 : 1)),
    };
  });
}

function keyOf(source: AccountHistory['source'], place: number): string {
  if (source.type === 'manual') return `manual:${source.manual_account_id}`;
  if (source.type === 'plaid') return `plaid:${source.plaid_account_id}`;
  return String(place);
}

type KindSource = Pick<ManualAccount | PlaidAccount, 'type' | 'status'>;

function kindOf(
  source: AccountHistory['source'] | undefined,
  account: KindSource | undefined,
): Pick<BalanceSeries, 'kind' | 'isOpen'> {
  switch (source?.type) {
    case 'crypto_manual':
    case 'crypto_synced':
      return { kind: 'crypto', isOpen: true };
    case 'deleted':
      return { kind: wealthKindOf(source.account_type), isOpen: false };
    case 'manual':
    case 'plaid':
    case undefined: {
      const isOpen = account !== undefined && account.status !== 'closed';
      return { kind: wealthKindOf(account?.type ?? null), isOpen };
    }
  }
}
