import { read, type Operation } from '../../operations/operation.ts';
import { notFound } from '../../operations/problem.ts';
import { okBytes } from '../../operations/responses.ts';
import type { TransactionPage } from '../../pages/filter.ts';
import { getTransaction, readPage } from '../../pages/pages.ts';
import { TransactionListQuery, TransactionPath } from './parameters.ts';
import { Transaction, TransactionListResponse } from './schema.ts';

const head = Buffer.from('{"transactions":[');
const tailWithMore = Buffer.from('],"has_more":true}');
const tailAtEnd = Buffer.from('],"has_more":false}');

/** Returns the body of a response with a page, in pieces. */
export function pageBody({ json, hasMore }: TransactionPage): Buffer[] {
  return [head, json, hasMore ? tailWithMore : tailAtEnd];
}

export const transactionRoutes: readonly Operation[] = [
  read(
    {
      id: 'getAllTransactions',
      path: '/v2/transactions',
      tag: 'transactions',
      summary: 'List transactions',
      description:
        'Returns a page of the transactions that pass every filter, sorted by `date`, then by `id`, both descending. ' +
        'Filters apply before paging: `offset` and `has_more` count matching transactions only. ' +
        'By default a list has posted transactions only, the parts of a split transaction instead of the original, ' +
        'and groups instead of their members. ' +
        'A page is a consistent state of the book; changes between two requests can move later pages.',
      query: TransactionListQuery,
      response: okBytes(TransactionListResponse, 'The page.'),
    },
    async ({ identity, query, pageKeys }, engine) => {
      const { book, databaseId } = identity;
      const state = { databaseId, bookId: book.id, version: book.version };
      return pageBody(await readPage(engine, state, query, pageKeys));
    },
    { inParts: true, isCached: true },
  ),
  read(
    {
      id: 'getTransactionById',
      path: '/v2/transactions/{id}',
      tag: 'transactions',
      summary: 'Get a transaction',
      description:
        'Returns any transaction of the book, with all optional keys. ' +
        '`children` is present for groups and split transactions.',
      params: TransactionPath,
      response: okBytes(Transaction, 'The transaction.'),
    },
    function* ({ bookId, params }) {
      const json = yield* getTransaction(bookId, params.id);
      if (json === null) throw notFound('transaction', params.id);
      return [json];
    },
    { isOneStatement: true },
  ),
];
