import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useGet } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { decimalOf, type Holding, type HoldingKind } from '../../books/accounts/holdings.ts';
import type { ManualAccount, PlaidAccount, Schemas } from '../../books/types.ts';

type ManualCrypto = Schemas['ManualCryptoAccount'];
type SyncedCrypto = Schemas['SyncedCryptoAccount'];
export type AccountInsert = Schemas['ManualAccountInsert'];
export type AccountUpdate = Schemas['ManualAccountUpdate'];
type MonthBalance = Schemas['AccountHistory']['balances'][number];

const all = [...keys.accounts, 'all'];

/** Everything that the screen lists; manual accounts as they are too, for editing. */
export interface AllAccounts {
  readonly holdings: readonly Holding[];
  readonly manual: readonly ManualAccount[];
}

/** The accounts of all kinds. */
export function useHoldings(): UseQueryResult<AllAccounts> {
  return useQuery({
    queryKey: all,
    queryFn: async ({ signal }) => {
      const get = <T>(path: string): Promise<T> => request<T>('GET', path, { signal });
      const [manual, plaid, crypto, synced] = await Promise.all([
        get<{ manual_accounts: ManualAccount[] }>('/v2/manual_accounts'),
        get<{ plaid_accounts: PlaidAccount[] }>('/v2/plaid_accounts'),
        get<Record<string, ManualCrypto[]>>('/v2/crypto/manual'),
        get<Record<string, SyncedCrypto[]>>('/v2/crypto/synced'),
      ]);
      const holdings = [
        ...manual.manual_accounts.map(ofManual),
        ...plaid.plaid_accounts.map(ofPlaid),
        ...Object.values(crypto).flat().map(ofCrypto),
        ...Object.values(synced).flat().flatMap(ofSynced),
      ];
      return { holdings, manual: manual.manual_accounts };
    },
  });
}

/** What accounts of all kinds have in the same form. */
function holding<Kind extends HoldingKind>(
  kind: Kind,
  account: { readonly id: number; readonly balance: string; readonly to_base: number | null },
) {
  const { id, balance, to_base: base } = account;
  const key = `${kind}-${id}`;
  const shared = { isClosed: false, trouble: null, base: base === null ? null : decimalOf(base) };
  return { ...shared, key, kind, id, balance };
}

function ofManual(account: ManualAccount): Holding {
  return {
    ...holding('manual', account),
    name: account.display_name ?? account.name,
    institution: account.institution_name ?? '',
    type: account.type,
    currency: account.currency,
    asOf: account.balance_as_of,
    isClosed: account.status === 'closed',
  };
}

function ofPlaid(account: PlaidAccount): Holding {
  const { display_name: shown, name, status } = account;
  const isFine = ['active', 'closed', 'inactive'].includes(status);
  return {
    ...holding('plaid', account),
    name: shown === null || shown === '' ? name : shown,
    institution: account.institution_name,
    type: account.type,
    currency: account.currency,
    asOf: account.balance_last_update,
    isClosed: status === 'closed',
    trouble: isFine ? null : status,
  };
}

function ofCrypto(account: ManualCrypto): Holding {
  return {
    ...holding('crypto_manual', account),
    name: account.display_name ?? account.name,
    institution: account.institution_name ?? '',
    type: 'cryptocurrency',
    currency: account.symbol,
    asOf: account.balance_as_of,
  };
}

function ofSynced({ id, provider, display_name, status, balances }: SyncedCrypto): Holding[] {
  return balances.map(({ symbol, name, balance_as_of: asOf, ...amounts }) => ({
    ...holding('crypto_synced', { ...amounts, id }),
    key: `crypto_synced-${id}-${symbol}`,
    name,
    asOf,
    institution: display_name ?? provider,
    type: 'cryptocurrency',
    currency: symbol,
    trouble: status === 'active' ? null : status,
  }));
}

/** The number of transactions of a manual account. */
export function useTransactionCount(accountId: number): UseQueryResult<number> {
  return useGet('/coffer/transactions', {
    queryKey: [...keys.transactions, 'count', 'account', accountId],
    query: { manual_account_ids: accountId, limit: 1 },
    pick: ({ total }: { readonly total: number }) => total,
  });
}

/** The balances of an account at the ends of months, the oldest first. */
export function useMonthBalances(holding: Holding): UseQueryResult<MonthBalance[]> {
  const { kind, id, currency } = holding;
  const path = `/v2/balance_history/${kind}/${id}${kind === 'crypto_synced' ? `/${currency}` : ''}`;
  return useGet(path, {
    queryKey: [...keys.accounts, 'balances', path],
    pick: (body: Schemas['BalanceHistoryListResponse']) =>
      body.balance_history.flatMap(({ balances }) => balances),
  });
}

/** Creates a manual account. */
export function createAccount(body: AccountInsert): Promise<ManualAccount> {
  return request('POST', '/v2/manual_accounts', { body });
}

/** Changes a manual account. */
export function updateAccount(id: number, body: AccountUpdate): Promise<ManualAccount> {
  return request('PUT', `/v2/manual_accounts/${id}`, { body });
}

/** Sets the balance of an account that is kept by hand. */
export function storeBalance({ kind, id }: Holding, balance: string): Promise<unknown> {
  const path = kind === 'crypto_manual' ? '/v2/crypto/manual' : '/v2/manual_accounts';
  return request('PUT', `${path}/${id}`, { body: { balance } });
}

/** What is deleted with an account. */
export interface Removal {
  readonly hasItems: boolean;
  readonly hasBalances: boolean;
}

/** Deletes a manual account. */
export function removeAccount(id: number, { hasItems, hasBalances }: Removal): Promise<unknown> {
  const query = { delete_items: hasItems, delete_balance_history: hasBalances };
  return request('DELETE', `/v2/manual_accounts/${id}`, { query });
}

/** Moves the transactions of a manual account to another account and deletes it. */
export function mergeAccount(
  id: number,
  body: Schemas['AccountMerge'],
): Promise<Schemas['MergedAccount']> {
  return request('POST', `/coffer/manual_accounts/${id}/merge`, { body });
}
