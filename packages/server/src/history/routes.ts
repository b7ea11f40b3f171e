import { ok } from '../operations/responses.ts';
import { read } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import { getHistory, getTransactionHistory, getVersion } from './actions.ts';
import { historyExamples as examples } from './examples.ts';
import * as schema from './schema.ts';

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
      query: schema.HistoryQuery,
      response: ok(schema.HistoryList, 'The changes.', examples.list),
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
      params: schema.VersionPath,
      query: schema.VersionQuery,
      response: ok(schema.HistoryVersion, 'The change.', examples.version),
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
      params: schema.TransactionHistoryPath,
      query: schema.TransactionHistoryQuery,
      response: ok(schema.TransactionHistory, 'The changes.', examples.transaction),
    },
    function* ({ bookId, params: { id }, query }) {
      return yield* getTransactionHistory(bookId, id, query);
    },
    { isVolatile: true },
  ),
];
