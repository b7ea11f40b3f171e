import type { TObject } from 'typebox';
import { CategoryListQuery, CategoryPath } from './category-parameters.ts';
import { SyncedCryptoBalancePath, SyncedCryptoPath } from './crypto.ts';
import { examples } from './examples.ts';
import { changed, ok, type Response, type SharedResponse } from './responses.ts';
import { TransactionListQuery, TransactionPath } from './transaction-parameters.ts';

/** One operation of the interface: what is asked, and every answer by status. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'get' | 'post';
  /** The path template, beginning with the version. */
  readonly path: `/v2/${string}`;
  readonly tag: TagName;
  readonly summary: string;
  readonly description: string;
  /** Query parameters; a parameter that is not among them is refused. */
  readonly query?: TObject;
  /** Parts of the path. */
  readonly params?: TObject;
  /** By status: an answer of this operation alone, or the name of a shared one. */
  readonly responses: Readonly<Record<number, Response | SharedResponse>>;
}

/** The areas of the interface, in the order of the document. */
export const tags = {
  transactions: 'Money that moved: lists in pages, and single transactions.',
  categories: 'What transactions are about, alone or in groups.',
  'crypto-synced': 'Crypto assets, as exchanges and wallets say that they are held.',
  me: 'The user and the book behind the access token.',
} as const;

/** The name of an area in {@link tags}. */
export type TagName = keyof typeof tags;

const refusals = {
  400: 'BadRequest',
  401: 'Unauthorized',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
} as const;

/** Of an operation that reads. */
const always = { 304: 'NotModified', ...refusals } as const;

/** Every operation, in the order of the document. */
export const operations: readonly Operation[] = [
  {
    operationId: 'getAllTransactions',
    method: 'get',
    path: '/v2/transactions',
    tag: 'transactions',
    summary: 'List transactions',
    description:
      'One page of the transactions that pass every filter, newest first: by `date`, then by `id`, both descending. ' +
      'Without filters: all posted transactions, with parts instead of their split parent and groups instead of their members. ' +
      'Filters come before paging: `offset` and `has_more` count matching transactions only. ' +
      'Walk a list by raising `offset` by `limit` until `has_more` is false. Each page is one consistent state of the book; ' +
      'a transaction that is added or removed between two requests can move the later pages by one place.',
    query: TransactionListQuery,
    responses: {
      200: ok('TransactionListResponse', 'The page.', examples.transactionList),
      ...always,
    },
  },
  {
    operationId: 'getTransactionById',
    method: 'get',
    path: '/v2/transactions/{id}',
    tag: 'transactions',
    summary: 'Get a transaction',
    description:
      'One transaction, with `plaid_metadata`, `custom_metadata` and `files`, and with `children` when it is a group or was split. ' +
      'Transactions that lists leave out (pending, split, members of a group) are found here.',
    params: TransactionPath,
    responses: {
      200: ok('Transaction', 'The transaction.', examples.transaction),
      ...always,
      404: 'NotFound',
    },
  },
  {
    operationId: 'getAllCategories',
    method: 'get',
    path: '/v2/categories',
    tag: 'categories',
    summary: 'List categories',
    description:
      'All categories and groups of the book in one answer. Sorted by `order`; those without an order come last, by name. ' +
      'The members of a group are sorted in the same way among themselves.',
    query: CategoryListQuery,
    responses: {
      200: ok('CategoryListResponse', 'The categories.', examples.categoryList),
      ...always,
    },
  },
  {
    operationId: 'getCategoryById',
    method: 'get',
    path: '/v2/categories/{id}',
    tag: 'categories',
    summary: 'Get a category',
    description: 'One category, or one group with its `children`.',
    params: CategoryPath,
    responses: {
      200: ok('Category', 'The category or group.', examples.category),
      ...always,
      404: 'NotFound',
    },
  },
  {
    operationId: 'getAllCryptoSynced',
    method: 'get',
    path: '/v2/crypto/synced',
    tag: 'crypto-synced',
    summary: 'List synced crypto accounts',
    description:
      'All synced crypto accounts of the book, each with the balances that were last read from its provider. ' +
      'Nothing is read from a provider for this.',
    responses: {
      200: ok('SyncedCryptoListResponse', 'The accounts.', examples.syncedCryptoList),
      ...always,
    },
  },
  {
    operationId: 'getCryptoSyncedById',
    method: 'get',
    path: '/v2/crypto/synced/{id}',
    tag: 'crypto-synced',
    summary: 'Get a synced crypto account',
    description:
      'One synced crypto account, with the balances that were last read from its provider.',
    params: SyncedCryptoPath,
    responses: {
      200: ok('SyncedCryptoAccount', 'The account.', examples.syncedCryptoAccount),
      ...always,
      404: 'NotFound',
    },
  },
  {
    operationId: 'getCryptoSyncedBalanceBySymbol',
    method: 'get',
    path: '/v2/crypto/synced/{id}/{symbol}',
    tag: 'crypto-synced',
    summary: 'Get a balance of a synced crypto account',
    description: 'How much of one asset a synced crypto account held when it was last read.',
    params: SyncedCryptoBalancePath,
    responses: {
      200: ok('SyncedCryptoBalance', 'The balance.', examples.syncedCryptoBalance),
      ...always,
      404: 'NotFound',
    },
  },
  {
    operationId: 'refreshCryptoSynced',
    method: 'post',
    path: '/v2/crypto/synced/{id}/refresh',
    tag: 'crypto-synced',
    summary: 'Refresh a synced crypto account',
    description:
      'Reads the balances from the provider and their prices now, and stores them in place of the last ones, all or none. ' +
      'Takes no body; an empty object is taken for none. Refreshes of one account at the same time share one reading. ' +
      'When the provider fails, the last balances stay, and `status` says what can be done. Not for polling: providers have limits of their own.',
    params: SyncedCryptoPath,
    responses: {
      200: changed('SyncedCryptoAccount', 'The account as it is now.', {
        refreshed: examples.syncedCryptoAccount.coinbase,
      }),
      ...refusals,
      404: 'NotFound',
      502: 'BadGateway',
      504: 'GatewayTimeout',
    },
  },
  {
    operationId: 'getMe',
    method: 'get',
    path: '/v2/me',
    tag: 'me',
    summary: 'Get the current user',
    description: 'The user and the book that the access token stands for.',
    responses: { 200: ok('Me', 'The user and the book.', examples.me), ...always },
  },
];
