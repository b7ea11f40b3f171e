import type { Filter } from '../filter/filter.ts';
import { unitsOf, unitsOfNumber } from '../formats/money.ts';
import type { AccountHistory, ManualAccount, PlaidAccount } from '../types.ts';
import { wealthKindOf } from './net-worth.ts';

/** What a list of balances needs to know of an account. */
export type BalancedAccount = Pick<
  ManualAccount | PlaidAccount,
  'id' | 'name' | 'display_name' | 'institution_name' | 'type' | 'status' | 'balance' | 'currency'
>;

/** An account with its balance. */
export interface BalanceRow {
  readonly key: string;
  readonly name: string;
  readonly institution: string | null;
  /** Ten-thousandths; what is owed is negative. */
  readonly units: bigint;
  readonly currency: string;
  /** The filter of its transactions; null for crypto, which has none. */
  readonly filter: Partial<Filter> | null;
}

/** Returns the accounts in use with their present balances: bank accounts first, crypto last. */
export function balanceRows(
  manual: readonly BalancedAccount[],
  plaid: readonly BalancedAccount[],
  history: readonly Pick<AccountHistory, 'source' | 'balances'>[],
  primaryCurrency: string,
): BalanceRow[] {
  const rowOf = (account: BalancedAccount, filter: Partial<Filter>): BalanceRow => {
    const balance = unitsOf(account.balance);
    return {
      key: `${account.id} ${Object.keys(filter).join()}`,
      name: account.display_name ?? account.name,
      institution: account.institution_name,
      units: wealthKindOf(account.type) === 'debts' ? -balance : balance,
      currency: account.currency,
      filter,
    };
  };
  const crypto = history.flatMap(({ source, balances }, place): BalanceRow[] => {
    const now = balances.at(-1);
    const isCrypto = source.type === 'crypto_manual' || source.type === 'crypto_synced';
    if (!isCrypto || now?.type !== 'current') return [];
    const units = unitsOfNumber(now.to_base);
    const name = (source.symbol ?? '').toUpperCase();
    return [
      {
        key: `crypto ${place}`,
        name,
        institution: null,
        units,
        currency: primaryCurrency,
        filter: null,
      },
    ];
  });
  return [
    ...plaid.map((account) => rowOf(account, { plaidAccountIds: [account.id] })),
    ...manual
      .filter(({ status }) => status === 'active')
      .map((account) => rowOf(account, { manualAccountIds: [account.id] })),
    ...crypto,
  ];
}

/** A point of a line in a square of 100 by 100, with the origin above at the left. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line of balances, and where zero is; null when zero is outside. */
export interface BalanceLine {
  readonly points: readonly Point[];
  readonly zero: number | null;
}

/** Lays out balances at equal distances. All equal balances lie in the middle. */
export function layBalances(balances: readonly number[]): BalanceLine {
  const [low, high] = [Math.min(...balances), Math.max(...balances)];
  const range = high - low;
  const heightOf = (value: number): number =>
    range === 0 ? 50 : Math.min((100 * (high - value)) / range, 100);
  const step = balances.length > 1 ? 100 / (balances.length - 1) : 0;
  const points = balances.map((value, place) => ({ x: place * step, y: heightOf(value) }));
  return { points, zero: range > 0 && low <= 0 && high >= 0 ? heightOf(0) : null };
}
