import { okBytes } from '../operations/responses.ts';
import { notFound } from '../operations/problem.ts';
import { read } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import { TransactionPath } from '../ledger/transactions/parameters.ts';
import { Transaction } from '../ledger/transactions/schema.ts';
import { EarlierQuery } from '../ledger/transactions/selection/schema.ts';
import { getEarlier } from '../ledger/transactions/earlier/earlier-list.ts';
import { versionAsOf } from '../ledger/transactions/earlier/version.ts';

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
