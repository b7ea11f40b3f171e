import { readOptions, type CallOptions, type ClientOptions } from './sending/options.ts';
import {
  makeAccounts,
  makeSyncedAccounts,
  type Accounts,
  type SyncedAccounts,
  makeBalanceHistory,
  type BalanceHistory,
  makeCrypto,
  makeCryptocurrencies,
  type Crypto,
  type Cryptocurrencies,
} from './resources/accounts.ts';
import {
  makeBudgets,
  makeSummary,
  type Budgets,
  type Summary,
  makeCategories,
  type Categories,
  makeMe,
  type Me,
  makeRecurringItems,
  type RecurringItems,
  makeTags,
  type Tags,
} from './resources/book.ts';
import { makeChanges, type Changes } from './resources/changes.ts';
import { makeCofferApi, type CofferApi } from './resources/coffer.ts';
import { callerOf } from './resources/resource.ts';
import { makeTransactions, type Transactions } from './resources/transactions.ts';
import { makeRequests, type RequestOptions } from './sending/requests.ts';

/**
 * A client of one service with one token.
 *
 * All its calls share one view of the rate limit, so create one client and keep it. There is nothing to close.
 */
export interface Client {
  /** Transactions, their groups, parts and files. */
  readonly transactions: Transactions;
  /** Categories and their groups. */
  readonly categories: Categories;
  /** Labels of transactions. */
  readonly tags: Tags;
  /** Accounts whose balances are kept by hand. */
  readonly accounts: Accounts;
  /** Accounts that the service reads from banks. */
  readonly syncedAccounts: SyncedAccounts;
  /** Recurring items and their occurrences. */
  readonly recurringItems: RecurringItems;
  /** Budgets of categories. */
  readonly budgets: Budgets;
  /** Balances of accounts at the ends of months. */
  readonly balanceHistory: BalanceHistory;
  /** Crypto accounts. */
  readonly crypto: Crypto;
  /** Assets that crypto accounts can have. */
  readonly cryptocurrencies: Cryptocurrencies;
  /** What only Coffer has: rules, recurring items, imports, webhooks, settings of budgets, merges. */
  readonly coffer: CofferApi;
  /** Follows the changes of a book of Coffer, without end. */
  readonly changes: Changes;
  /** Budgets and activity in a range of days. */
  readonly summary: Summary;
  /** The user and the book of the token. */
  me(options?: CallOptions): Promise<Me>;
  /**
   * Sends a request to any other operation, with the same pacing, retries and time limits.
   *
   * Resolves to the JSON value of a 2xx response, unchecked, and to undefined when there is no body. GET and HEAD
   * requests, and those with an `idempotencyKey`, are retried after every failure that may be temporary. All others are
   * retried only after 429.
   */
  request(options: RequestOptions): Promise<unknown>;
}

/**
 * Creates a client. Sends nothing yet.
 *
 * ```ts
 * const coffer = createClient({ baseUrl: 'http://127.0.0.1:8080/v2', token });
 * for await (const transaction of coffer.transactions.list({ start_date: '2026-01-01' })) {
 *   console.log(transaction.date, transaction.payee, transaction.amount);
 * }
 * ```
 *
 * Throws ArgumentError when an option is not valid.
 */
export function createClient(options: ClientOptions): Client {
  const setup = readOptions(options);
  const requests = makeRequests(setup);
  const call = callerOf(requests, 'v2', setup.hasKeys);
  return {
    transactions: makeTransactions(call),
    categories: makeCategories(call),
    tags: makeTags(call),
    accounts: makeAccounts(call),
    syncedAccounts: makeSyncedAccounts(call),
    recurringItems: makeRecurringItems(call),
    budgets: makeBudgets(call),
    balanceHistory: makeBalanceHistory(call),
    crypto: makeCrypto(call),
    cryptocurrencies: makeCryptocurrencies(call),
    coffer: makeCofferApi(callerOf(requests, 'coffer', setup.hasKeys)),
    changes: makeChanges(setup),
    summary: makeSummary(call),
    me: makeMe(call),
    request: async (requestOptions) => (await requests(requestOptions)).value,
  };
}
