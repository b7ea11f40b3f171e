import { readOptions } from './options.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { makeCategories } from './resources/categories.ts';
import type { Categories } from './resources/categories.ts';
import { makeCrypto } from './resources/crypto.ts';
import type { Crypto } from './resources/crypto.ts';
import { makeMe } from './resources/me.ts';
import type { Me } from './resources/me.ts';
import { callerOf } from './resources/resource.ts';
import { makeTags } from './resources/tags.ts';
import type { Tags } from './resources/tags.ts';
import { makeTransactions } from './resources/transactions.ts';
import type { Transactions } from './resources/transactions.ts';
import { makeRequests } from './sending/requests.ts';
import type { RequestOptions } from './sending/requests.ts';

/**
 * A client of one service with one token.
 *
 * All its calls share one view of the rate limit, so create one client and keep it. There is nothing to close.
 */
export interface Client {
  /** Transactions: single ones, pages, whole lists. */
  readonly transactions: Transactions;
  /** Categories and their groups. */
  readonly categories: Categories;
  /** Labels of transactions. */
  readonly tags: Tags;
  /** Crypto accounts that the service syncs from their providers. */
  readonly crypto: Crypto;
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
  const requests = makeRequests(readOptions(options));
  const call = callerOf(requests);
  return {
    transactions: makeTransactions(call),
    categories: makeCategories(call),
    tags: makeTags(call),
    crypto: makeCrypto(call),
    me: makeMe(call),
    request: async (requestOptions) => (await requests(requestOptions)).value,
  };
}
