import { Type } from 'typebox';
import { maxId, minId } from '@coffer/core/ids';
import { maxTransactionsInRequest } from '../../../operations/limits.ts';
import { day, nullable, object, optional, text, word } from '../../../operations/schema.ts';

const anyId = Type.Integer({ format: 'int64', minimum: -maxId, maximum: maxId });

/** The body of POST /v2/transactions/group. */
export const TransactionGroupInsert = object(
  'TransactionGroupInsert',
  'Transactions to group, and the group that is shown instead of them.',
  {
    ids: Type.Array(anyId, {
      minItems: 2,
      maxItems: maxTransactionsInRequest,
      description:
        'Ids of the transactions. They are not split, not in a group, and have no recurring item.',
    }),
    date: day('Day of the group.'),
    payee: text('Payee of the group.'),
    category_id: optional(
      nullable(
        Type.Integer({
          format: 'int64',
          minimum: minId,
          maximum: maxId,
          description:
            'Id of its category, not of a category group; null: none. ' +
            'By default the category that all transactions share, if they do.',
        }),
      ),
    ),
    notes: optional(nullable(text('Notes of the group.'))),
    status: optional(
      word(['reviewed', 'unreviewed'], {
        description: 'Review status. By default `reviewed` if all transactions are.',
      }),
    ),
    tag_ids: optional(
      Type.Array(anyId, { maxItems: maxTransactionsInRequest, description: 'Ids of its tags.' }),
    ),
  },
  { example: { ids: [5120, 5121], date: '2026-03-14', payee: 'Day trip' } },
);
