import { getTransaction, listTransactions } from '../../pages/pages.ts';
import { okBytes } from '../../wire/responses.ts';
import { notFound } from '../../wire/problem.ts';
import { read } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { transactionExamples } from './examples.ts';
import { TransactionListQuery, TransactionPath } from './parameters.ts';
import { Transaction, TransactionListResponse } from './schema.ts';

const head = Buffer.from('{"transactions":[');
const tailWithMore = Buffer.from('],"has_more":true}');
const tailAtEnd = Buffer.from('],"has_more":false}');

export const transactionRoutes: readonly Operation[] = [
  read(
    {
      id: 'getAllTransactions',
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
      response: okBytes(TransactionListResponse, 'The page.', transactionExamples.list),
    },
    function* ({ bookId, query, pageKeys }) {
      const page = yield* listTransactions(bookId, query, pageKeys);
      return [head, page.json, page.hasMore ? tailWithMore : tailAtEnd];
    },
  ),
  read(
    {
      id: 'getTransactionById',
      path: '/v2/transactions/{id}',
      tag: 'transactions',
      summary: 'Get a transaction',
      description:
        'One transaction, with `plaid_metadata`, `custom_metadata` and `files`, and with `children` when it is a group or was split. ' +
        'Transactions that lists leave out (pending, split, members of a group) are found here.',
      params: TransactionPath,
      response: okBytes(Transaction, 'The transaction.', transactionExamples.one),
    },
    function* ({ bookId, params }) {
      const json = yield* getTransaction(bookId, params.id);
      if (json === null) throw notFound('transaction', params.id);
      return [json];
    },
    { isOneStatement: true },
  ),
];
