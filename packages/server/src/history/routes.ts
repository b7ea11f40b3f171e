import { EarlierQuery } from '../ledger/transactions/selection/schema.ts';
import { ok, okBytes } from '../operations/responses.ts';
import { read, type Operation } from '../operations/operation.ts';
import { getHistory, getTransactionHistory, getVersion } from './actions.ts';
import * as schema from './schema.ts';
import { notFound } from '../operations/problem.ts';
import { TransactionPath } from '../ledger/transactions/parameters.ts';
import { Transaction } from '../ledger/transactions/schema.ts';
import { getEarlier } from '../ledger/transactions/earlier/earlier-list.ts';
import { versionAsOf } from '../ledger/transactions/earlier/version.ts';

const tag = 'history';

/** The operations that show what happened in a book. The labels of tokens can change without a change of the book. */
export const historyRoutes: readonly Operation[] = [
  read(
    {
      path: '/coffer/history',
      tag,
      id: 'getHistory',
      summary: 'List changes',
      description:
        'Returns the changes of the book, the newest first: who made each, when, and how many records it wrote. ' +
        'To get the next page, send the last `version` as `before`. ' +
        'A change must match every filter that is sent.',
      size: 'unbounded',
      query: schema.HistoryQuery,
      response: ok(schema.HistoryList, 'The changes.'),
    },
    function* ({ bookId, query }) {
      return yield* getHistory(bookId, query);
    },
    { isVolatile: true },
  ),
  read(
    {
      path: '/coffer/history/{version}',
      tag,
      id: 'getHistoryVersion',
      summary: 'Get a change',
      description:
        'Returns a change with the records that it created, changed or deleted, before and after. ' +
        'A record that was written several times is shown once, with the effect of the whole change.',
      size: 'unbounded',
      params: schema.VersionPath,
      query: schema.VersionQuery,
      response: ok(schema.HistoryVersion, 'The change.'),
      refusals: { 410: 'Gone' },
    },
    function* ({ bookId, params: { version }, query }) {
      return yield* getVersion(bookId, version, query);
    },
    { isVolatile: true },
  ),
  read(
    {
      path: '/coffer/transactions/{id}/history',
      tag,
      id: 'getTransactionHistory',
      summary: 'List changes of a transaction',
      description:
        'Returns the changes of a transaction, the newest first; also of one that was deleted. ' +
        'It is 404 only if the book never had it.',
      size: 'unbounded',
      params: schema.TransactionHistoryPath,
      query: schema.TransactionHistoryQuery,
      response: ok(schema.TransactionHistory, 'The changes.'),
    },
    function* ({ bookId, params: { id }, query }) {
      return yield* getTransactionHistory(bookId, id, query);
    },
    { isVolatile: true },
  ),
];

/** The operation that reads a transaction as it was. `GET /coffer/transactions` lists them. */
export const earlierRoutes: readonly Operation[] = [
  read(
    {
      id: 'getTransactionAsOf',
      path: '/coffer/transactions/{id}',
      tag: 'transactions',
      summary: 'Get a transaction as it was',
      description:
        'Returns a transaction that the book had at a version or a time, also if it was deleted since, as ' +
        '`GET /v2/transactions/{id}` does.',
      size: 'unbounded',
      params: TransactionPath,
      query: EarlierQuery,
      response: okBytes(Transaction, 'The transaction.'),
      refusals: { 410: 'Gone' },
    },
    function* ({ bookId, params, query }) {
      const json = yield* getEarlier(bookId, params.id, yield* versionAsOf(bookId, query.as_of));
      if (json === null) throw notFound('transaction', params.id);
      return [json];
    },
  ),
];
