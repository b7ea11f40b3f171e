import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { read, useRead } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { decimalOf, type Holding, type HoldingKind } from '../../books/accounts/holdings.ts';
import type { ManualAccount, PlaidAccount, Schemas, Transaction } from '../../books/types.ts';

type ManualCrypto = Schemas['ManualCryptoAccount'];
type SyncedCrypto = Schemas['SyncedCryptoAccount'];
export type AccountInsert = Schemas['ManualAccountInsert'];
type MonthBalance = Schemas['AccountHistory']['balances'][number];

/** Everything that the screen lists; manual accounts as they are too, for editing. */
export interface AllAccounts {
  readonly holdings: readonly Holding[];
  readonly manual: readonly ManualAccount[];
}

/** The accounts of all kinds. */
export function useHoldings(): UseQueryResult<AllAccounts> {
  return useQuery({
    queryKey: [...keys.accounts, 'all'],
    queryFn: async ({ signal }) => {
      const [{ manual_accounts: manual }, { plaid_accounts: plaid }, crypto, synced] =
        await Promise.all([
          request('GET /v2/manual_accounts', { signal }),
          request('GET /v2/plaid_accounts', { signal }),
          request('GET /v2/crypto/manual', { signal }),
          request('GET /v2/crypto/synced', { signal }),
        ]);
      const holdings = [
        ...manual.map(ofManual),
        ...plaid.map(ofPlaid),
        ...Object.values(crypto).flat().map(ofCrypto),
        ...Object.values(synced).flat().flatMap(ofSynced),
      ];
      return { holdings, manual };
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

const kindOf = ({ kind }: Holding) => (kind === 'plaid' ? 'plaid' : 'manual');

/** Which balances of an account follow from its transactions. */
export function useProof(holding: Holding): UseQueryResult<Schemas['AccountProof']> {
  return useRead(keys.accounts, 'GET /coffer/accounts/{id}/proof', {
    path: { id: holding.id },
    query: { kind: kindOf(holding) },
  });
}

/** Transactions of an account, the newest first, and the balances of their days. */
export interface RegisterPage {
  readonly rows: readonly Transaction[];
  readonly days: Schemas['AccountDays']['days'];
  readonly hasMore: boolean;
}

/** The newest transactions of an account. */
export function useRegister(holding: Holding, limit: number): UseQueryResult<RegisterPage> {
  const { id } = holding;
  const kind = kindOf(holding);
  const list = kind === 'manual' ? 'manual_account_ids' : 'plaid_account_ids';
  return useQuery({
    queryKey: [...keys.transactions, 'register', kind, id, limit],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { [list]: String(id), limit };
      const page = await request('GET /coffer/transactions', { query, signal });
      const { transactions: rows, has_more: hasMore } = page;
      const [first, last] = [rows.at(-1)?.date, rows[0]?.date];
      if (first === undefined || last === undefined) return { rows, days: [], hasMore };
      const range = { kind, start_date: first, end_date: last } as const;
      const found = await request('GET /coffer/accounts/{id}/days', {
        path: { id },
        query: range,
        signal,
      });
      return { rows, days: found.days, hasMore };
    },
  });
}

/** The number of transactions of a manual account. */
export function useTransactionCount(accountId: number): UseQueryResult<number> {
  return useRead(keys.transactions, 'GET /coffer/transactions', {
    query: { manual_account_ids: String(accountId), limit: 1 },
    select: ({ total }) => total ?? 0,
  });
}

/** The balances of an account at the ends of months, the oldest first. */
export function useMonthBalances(holding: Holding): UseQueryResult<MonthBalance[]> {
  const { kind, id, currency } = holding;
  const select = ({ balance_history: history }: Schemas['BalanceHistoryListResponse']) =>
    history.flatMap(({ balances }) => balances);
  return useQuery<Schemas['BalanceHistoryListResponse'], Error, MonthBalance[]>({
    ...(kind === 'crypto_synced'
      ? read(keys.accounts, 'GET /v2/balance_history/crypto_synced/{account_id}/{symbol}', {
          path: { account_id: id, symbol: currency },
        })
      : read(keys.accounts, 'GET /v2/balance_history/{account_type}/{account_id}', {
          path: { account_type: kind, account_id: id },
        })),
    select,
  });
}
