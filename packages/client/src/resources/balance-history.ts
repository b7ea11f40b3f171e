import type { CallOptions } from '../sending/options.ts';
import type { AccountHistory, BalanceHistoryQuery, ClientMethods } from './openapi-methods.ts';
import { listShape, nothing, objectShape, type Call, type Path, type Schema } from './resource.ts';
import { isObject } from '../sending/transport.ts';

type Sent = ClientMethods['balanceHistory'];

/** The balance of a past month. */
export type BalanceUpdate = Schema<'BalanceHistoryEntryUpdate'>;

/** The account of a history. A synced crypto account has one for each symbol. */
export type HistoryAccount =
  | { readonly type: 'manual' | 'plaid' | 'crypto_manual' | 'deleted'; readonly id: number }
  | { readonly type: 'crypto_synced'; readonly id: number; readonly symbol: string };

/** Methods of balance history. All reject with an error of this library, or with the reason of an aborted signal. */
export interface BalanceHistory extends Sent {
  /** The history of one account, in a list. ApiError 404: it does not exist. */
  get(
    account: HistoryAccount,
    query?: BalanceHistoryQuery,
    options?: CallOptions,
  ): Promise<readonly AccountHistory[]>;
  /** Sets balances of past months, and resolves to their entries. Other months remain. */
  set(
    account: HistoryAccount,
    balances: readonly BalanceUpdate[],
    options?: CallOptions,
  ): Promise<AccountHistory>;
  /** Deletes the history of one account. ApiError 404: the account does not exist. */
  delete(account: HistoryAccount, options?: CallOptions): Promise<void>;
}

const history = objectShape<AccountHistory>('AccountHistory');
const histories = listShape<AccountHistory>('balance_history', isObject);

/** The balance history of a client; `sent` are the methods that only send a request. */
export function makeBalanceHistory(call: Call, sent: Sent): BalanceHistory {
  const pathOf = (account: HistoryAccount): Path => {
    const path = ['balance_history', account.type, { id: account.id }];
    return account.type === 'crypto_synced' ? [...path, account.symbol] : path;
  };
  return {
    ...sent,
    get: (account, query, options) => call(histories, pathOf(account), { ...options, query }),
    set: (account, balances, options) =>
      call(history, pathOf(account), { ...options, method: 'PUT', body: { balances } }),
    delete: (account, options) => call(nothing, pathOf(account), { ...options, method: 'DELETE' }),
  };
}
