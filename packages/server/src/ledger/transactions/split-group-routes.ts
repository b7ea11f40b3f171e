import { getTransaction } from '../../pages/pages.ts';
import { transactions } from '../../db/tables/tables.ts';
import { created, inPieces, noContent } from '../../operations/responses.ts';
import { write, type Operation } from '../../operations/operation.ts';
import { recordOf } from '../../operations/records.ts';
import { TransactionGroupInsert, parentExamples, Transaction, TransactionSplit } from './schema.ts';
import { groupTransactions, ungroupTransactions } from './group.ts';
import { TransactionPath } from './parameters.ts';
import { find } from '../../db/rows.ts';
import { parseAmountInput } from '../../operations/amounts.ts';
import { splitTransaction, unsplitTransaction } from './split.ts';

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

const one = {
  path: '/v2/transactions/split/{id}',
  tag: 'transactions',
  params: TransactionPath,
} as const;

/** The operations that split transactions. */
export const splitRoutes: readonly Operation[] = [
  write(
    'POST',
    {
      ...one,
      id: 'splitTransaction',
      summary: 'Split a transaction',
      description:
        'Creates the parts of a transaction, which lists show instead of it. They have its currency, account and ' +
        'review status; the balance of the account stays as it is. ' +
        'A transaction that is split, a part, a group, a member of a group or has a recurring item is refused.',
      body: TransactionSplit,
      response: inPieces(
        created(Transaction, 'The original with its parts.', {
          split: parentExamples.split,
        }),
      ),
    },
    function* ({ bookId, params, body }, change) {
      const parent = yield* recordOf(transactions, 'transaction', bookId, params.id);
      const sent = body.child_transactions.map((part) => ({
        ...part,
        amount: parseAmountInput(part.amount),
      }));
      yield* splitTransaction(change, parent, sent);
      return [(yield* getTransaction(bookId, parent.id))!];
    },
  ),
  write(
    'DELETE',
    {
      ...one,
      id: 'unsplitTransaction',
      summary: 'Delete the parts of a transaction',
      description:
        'Deletes the parts with their files; the original, whose id the path has, is listed again. ' +
        'A transaction that does not exist or is not split is refused with 400, not with 404.',
      response: noContent('The parts are deleted.'),
      isMissing400: true,
    },
    function* ({ bookId, params: { id } }, change) {
      const parent = yield* find(transactions, { book_id: bookId, id });
      yield* unsplitTransaction(change, id, parent);
    },
  ),
];
