import { Type, type Static } from 'typebox';
import type { Engine } from '../../../db/engine.ts';
import { okBytes } from '../../../wire/responses.ts';
import { notFound } from '../../../wire/problem.ts';
import { read } from '../../operation.ts';
import type { AnyRequest, Operation } from '../../operation.ts';
import { transactionExamples } from '../examples.ts';
import { TransactionListQuery, TransactionPath } from '../parameters.ts';
import { pageBody } from '../routes.ts';
import { Transaction, TransactionListResponse } from '../schema.ts';
import { getEarlier, listEarlier, prepareEarlier } from './earlier-list.ts';
import { versionAsOf } from './version.ts';

const asOf = Type.Optional(
  Type.Union(
    [
      Type.String({ pattern: '^(0|[1-9]\\d{0,15})$' }),
      Type.String({ format: 'date' }),
      Type.String({ format: 'date-time' }),
    ],
    {
      description:
        'A version of the book, or a time; default: the present.\n\n' +
        'A date means the end of that day in UTC. Before its first change, the book is empty; a time in the future ' +
        'means the present.',
    },
  ),
);

const { properties } = TransactionListQuery;
const EarlierListQuery = Type.Object(
  { as_of: asOf, ...properties },
  { additionalProperties: false },
);
const EarlierQuery = Type.Object({ as_of: asOf }, { additionalProperties: false });
const refusals = { 410: 'Gone' } as const;

const list = read(
  {
    id: 'getTransactionsAsOf',
    path: '/coffer/transactions',
    tag: 'transactions',
    summary: 'List transactions as they were',
    description:
      'Returns a page of the transactions that the book had at a version or a time. Filters, order and response ' +
      'are those of `GET /v2/transactions`. Pages of a fixed version never change. ' +
      'A page takes longer the more was changed since. A version that the book does not have yet gets 400.',
    query: EarlierListQuery,
    response: okBytes(TransactionListResponse, 'The page.', transactionExamples.list),
    refusals,
  },
  function* ({ bookId, query: { as_of, ...query }, pageKeys }) {
    return pageBody(yield* listEarlier(bookId, query, yield* versionAsOf(bookId, as_of), pageKeys));
  },
);

/** The operations that read transactions as they were. */
export const earlierRoutes: readonly Operation[] = [
  { ...list, run: prepared },
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
      response: okBytes(Transaction, 'The transaction.', transactionExamples.one),
      refusals,
    },
    function* ({ bookId, params, query }) {
      const json = yield* getEarlier(bookId, params.id, yield* versionAsOf(bookId, query.as_of));
      if (json === null) throw notFound('transaction', params.id);
      return [json];
    },
  ),
];

/** A list of very long ago is read in two steps, because a read has a time limit. */
async function prepared(engine: Engine, request: AnyRequest): Promise<unknown> {
  const { bookId, pageKeys } = request;
  const { as_of, ...query } = request.query as Static<typeof EarlierListQuery>;
  if (as_of !== undefined) {
    const version = await engine.read(() => versionAsOf(bookId, as_of));
    await prepareEarlier(engine, bookId, query, version, pageKeys);
  }
  return list.run(engine, request);
}
