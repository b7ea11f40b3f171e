import type { TObject } from 'typebox';
import { CategoryListQuery, CategoryPath } from './category-parameters.ts';
import { examples } from './examples.ts';
import { ok, type Response, type SharedResponse } from './responses.ts';
import { TransactionListQuery, TransactionPath } from './transaction-parameters.ts';

/** One operation of the interface: what is asked, and every answer by status. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'get';
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
  me: 'The user and the book behind the access token.',
} as const;

/** The name of an area in {@link tags}. */
export type TagName = keyof typeof tags;

const always = {
  304: 'NotModified',
  400: 'BadRequest',
  401: 'Unauthorized',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
} as const;

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
    operationId: 'getMe',
    method: 'get',
    path: '/v2/me',
    tag: 'me',
    summary: 'Get the current user',
    description: 'The user and the book that the access token stands for.',
    responses: { 200: ok('Me', 'The user and the book.', examples.me), ...always },
  },
];
