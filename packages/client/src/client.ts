import { makeCategories } from './categories.ts';
import type { Categories } from './categories.ts';
import { makeCrypto } from './crypto.ts';
import type { Crypto } from './crypto.ts';
import { readOptions } from './options.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { makeRequests } from './requests.ts';
import type { RequestOptions } from './requests.ts';
import { isMe } from './shapes.ts';
import type { Me } from './shapes.ts';
import { makeTransactions } from './transactions.ts';
import type { Transactions } from './transactions.ts';

/**
 * A client of one service with one token.
 *
 * Everything that it sends shares one view of the rate limit, so make one and keep it. It holds nothing that has to be
 * closed.
 */
export interface Client {
  /** Transactions: pages, walks, single ones. */
  readonly transactions: Transactions;
  /** Categories and their groups. */
  readonly categories: Categories;
  /** Crypto that the service reads from its providers. */
  readonly crypto: Crypto;
  /** The user and the book that the token opens. */
  me(options?: CallOptions): Promise<Me>;
  /**
   * Any other operation, sent with the same care: paced, repeated where that is safe, bounded in time.
   *
   * Resolves to the JSON value of a 2xx answer, unchecked, and to undefined when it has no body. GET and HEAD, and what
   * has an `idempotencyKey`, are repeated after whatever may pass; all others after 429 alone.
   */
  request(options: RequestOptions): Promise<unknown>;
}

/**
 * Makes a client. Sends nothing yet.
 *
 * ```ts
 * const coffer = createClient({ baseUrl: 'http://127.0.0.1:8080/v2', token });
 * for await (const transaction of coffer.transactions.list({ start_date: '2026-01-01' })) {
 *   console.log(transaction.date, transaction.payee, transaction.amount);
 * }
 * ```
 *
 * Throws ArgumentError when the options cannot be used.
 */
export function createClient(options: ClientOptions): Client {
  const requests = makeRequests(readOptions(options));
  return {
    transactions: makeTransactions(requests),
    categories: makeCategories(requests),
    crypto: makeCrypto(requests),
    me: async (callOptions = {}) =>
      await requests.ask({ ...callOptions, path: '/me' }, isMe, 'a user'),
    request: (requestOptions) => requests.request(requestOptions),
  };
}
