import { getTransactions } from '../../../pages/pages.ts';
import { changed, created, inPieces, noContent } from '../../../operations/responses.ts';
import { write, type Operation } from '../../../operations/operation.ts';
import { closed } from '../../../operations/schema.ts';
import { deleteTransaction, deleteTransactions } from './checks.ts';
import { createTransactions } from './insert.ts';
import { TransactionPath } from '../parameters.ts';
import * as requests from './bodies.ts';
import { forced, refusedAsProved } from '../proved-rows.ts';
import { Transaction } from '../schema.ts';
import { changeTransaction, changeTransactions } from './update.ts';

const all = { path: '/v2/transactions', tag: 'transactions' } as const;
const one = {
  path: '/v2/transactions/{id}',
  tag: 'transactions',
  params: TransactionPath,
} as const;

const head = Buffer.from('{"transactions":[');
const tail = Buffer.from(']}');

/** The operations that write transactions. */
export const transactionWriteRoutes: readonly Operation[] = [
  write(
    'POST',
    {
      ...all,
      id: 'createNewTransactions',
      summary: 'Insert transactions',
      description:
        'Inserts up to 500 transactions and moves the balances of their manual accounts. ' +
        'Transactions that exist are skipped, the others are inserted. ' +
        'An `external_id` that a manual account has twice in one request is refused with 400.',
      body: requests.TransactionsInsert,
      bodyExamples: requests.writeExamples.insert,
      response: inPieces(created(requests.InsertedTransactions, 'The transactions.')),
    },
    function* ({ bookId, body }, change) {
      const { ids, skipped } = yield* createTransactions(change, body);
      const end = Buffer.from(`],"skipped_duplicates":${JSON.stringify(skipped)}}`);
      return [head, ...(yield* getTransactions(bookId, ids)), end];
    },
  ),
  write(
    'PUT',
    {
      ...all,
      id: 'updateTransactions',
      summary: 'Update transactions',
      description:
        'Updates up to 500 transactions and moves the balances of their manual accounts. ' +
        'Each has the properties of the update of one transaction; unknown ids are refused with 400.',
      body: requests.TransactionsUpdate,
      response: inPieces(changed(requests.UpdatedTransactions, 'The changed transactions.')),
    },
    function* ({ bookId, body }, change) {
      yield* changeTransactions(change, body.transactions);
      const ids = body.transactions.map(({ id }) => id);
      return [head, ...(yield* getTransactions(bookId, ids)), tail];
    },
  ),
  write(
    'PUT',
    {
      id: 'editTransactions',
      path: '/coffer/transactions',
      tag: 'transactions',
      summary: 'Update transactions, parts of splits and groups, too',
      description:
        'As `PUT /v2/transactions`, but it also changes what is split or grouped. A split keeps its sum: a new amount ' +
        'of a part changes the last part that is not in the request, and a new amount of the original changes its ' +
        'last part. If all parts get a new amount, the original has their sum. Currency and account are those of the whole split. A group has the amount of its members. ' +
        'Date, amount and account of a transaction on which a proved balance depends only change with `force`.',
      query: closed(forced),
      body: requests.TransactionsUpdate,
      response: inPieces(changed(requests.UpdatedTransactions, 'The changed transactions.')),
      refusals: { 409: refusedAsProved.named },
    },
    function* ({ bookId, query, body }, change) {
      const options = { takesArranged: true, keepsProved: query.force !== true };
      yield* changeTransactions(change, body.transactions, options);
      const ids = body.transactions.map(({ id }) => id);
      return [head, ...(yield* getTransactions(bookId, ids)), tail];
    },
  ),
  write(
    'DELETE',
    {
      ...all,
      id: 'deleteTransactions',
      summary: 'Delete transactions',
      description:
        'Deletes up to 500 transactions with their files, and moves the balances of their manual accounts back. ' +
        'Split and grouped transactions, and repeated ids, are refused with 400.',
      body: requests.TransactionsDelete,
      response: noContent('The transactions are deleted.'),
      refusals: { 404: 'NotFound' },
    },
    function* ({ body }, change) {
      yield* deleteTransactions(change, body.ids);
    },
  ),
  write(
    'PUT',
    {
      ...one,
      id: 'updateTransaction',
      summary: 'Update a transaction',
      description:
        'Omitted properties stay as they are. A whole transaction may be sent back: what cannot be changed is ignored. ' +
        'Split and grouped transactions are refused with 400, and so are changes of amount, currency, account or ' +
        '`external_id` in a synced account that does not allow them.',
      query: requests.UpdateQuery,
      body: requests.TransactionUpdate,
      bodyExamples: requests.writeExamples.update,
      response: inPieces(changed(Transaction, 'The changed transaction.')),
    },
    function* ({ bookId, params, query, body }, change) {
      const options = { skipBalanceUpdate: query.update_balance === false };
      yield* changeTransaction(change, params.id, body, options);
      return yield* getTransactions(bookId, [params.id]);
    },
  ),
  write(
    'DELETE',
    {
      ...one,
      id: 'deleteTransactionById',
      summary: 'Delete a transaction',
      description:
        'Deletes it with its files, and moves the balance of its manual account back. ' +
        'Split and grouped transactions are refused with 400.',
      response: noContent('The transaction is deleted.'),
    },
    function* ({ params }, change) {
      yield* deleteTransaction(change, params.id);
    },
  ),
];
