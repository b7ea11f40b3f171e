import type { Filter } from '../filter/filter.ts';
import { unitsOf, unitsOfNumber } from '../formats/money.ts';
import { wealthKindOf } from './net-worth.ts';

/** What a list of balances needs to know of an account. */
export interface BalancedAccount {
  readonly id: number;
  readonly name: string;
  readonly display_name: string | null;
  readonly institution_name: string | null;
  readonly type: string;
  readonly status: string;
  readonly balance: string | null;
  readonly currency: string;
}

/** The balances of crypto as they are in the history. */
export interface BalanceSource {
  readonly source: { readonly type: string; readonly symbol?: string | null };
  readonly balances: readonly { readonly type: string; readonly to_base: number }[];
}

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
  history: readonly BalanceSource[],
  primaryCurrency: string,
): BalanceRow[] {
  const rowOf = (account: BalancedAccount, filter: Partial<Filter>): BalanceRow => {
    const balance = unitsOf(account.balance ?? '0');
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
    if (!source.type.startsWith('crypto') || now?.type !== 'current') return [];
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
