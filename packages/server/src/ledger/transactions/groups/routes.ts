import { getTransaction } from '../../../pages/pages.ts';
import { transactions } from '../../../db/tables/tables.ts';
import { created, inPieces, noContent } from '../../../operations/responses.ts';
import { write } from '../../../operations/operation.ts';
import type { Operation } from '../../../operations/operation.ts';
import { recordOf } from '../../../operations/records.ts';
import { TransactionGroupInsert, parentExamples, Transaction } from '../schema.ts';
import { groupTransactions, ungroupTransactions } from './group.ts';
import { TransactionPath } from '../parameters.ts';

/** The operations that group transactions. */
export const groupRoutes: readonly Operation[] = [
  write(
    'POST',
    {
      id: 'groupTransactions',
      path: '/v2/transactions/group',
      tag: 'transactions',
      summary: 'Group transactions',
      description:
        'Creates a group, which lists show instead of its members. Its amount is their sum: in their currency, ' +
        'or in the primary currency of the book if they have several, as the sum of their `to_base`. ' +
        'It has no account; the balances of accounts stay as they are. ' +
        'Parts of split transactions, groups, members of groups and transactions with a recurring item are refused.',
      body: TransactionGroupInsert,
      response: inPieces(
        created(Transaction, 'The group with its members.', {
          group: parentExamples.group,
        }),
      ),
    },
    function* ({ bookId, body }, change) {
      const id = yield* groupTransactions(change, body);
      return [(yield* getTransaction(bookId, id))!];
    },
  ),
  write(
    'DELETE',
    {
      id: 'ungroupTransactions',
      path: '/v2/transactions/group/{id}',
      tag: 'transactions',
      summary: 'Delete a group',
      description:
        'Deletes a group with its files. Its members become normal transactions. ' +
        'A transaction that is not a group is refused with 400.',
      params: TransactionPath,
      response: noContent('The group is deleted.'),
    },
    function* ({ bookId, params }, change) {
      const row = yield* recordOf(transactions, 'transaction', bookId, params.id);
      yield* ungroupTransactions(change, row);
    },
  ),
];
