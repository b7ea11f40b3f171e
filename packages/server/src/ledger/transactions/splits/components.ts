import { Type } from 'typebox';
import type { Static } from 'typebox';
import { maxId, minId } from '@coffer/core/ids';
import { amountInput } from '../../../operations/amounts.ts';
import { maxTransactionsInRequest } from '../../../operations/limits.ts';
import {
  day,
  exampleOf,
  nullable,
  object,
  optional,
  reference,
  text,
} from '../../../operations/schema.ts';

const SplitPart = object(
  'SplitPart',
  'A part of a split transaction.',
  {
    amount: amountInput('Amount in the currency of the original; positive is money out.'),
    payee: optional(text('Payee; by default that of the original.')),
    date: optional(day('Day; by default that of the original.')),
    category_id: optional(
      nullable(
        Type.Integer({
          format: 'int64',
          minimum: minId,
          maximum: maxId,
          description:
            'Id of its category, not of a category group; null: none. By default that of the original.',
        }),
      ),
    ),
    tag_ids: optional(
      Type.Array(Type.Integer({ format: 'int64', minimum: -maxId, maximum: maxId }), {
        maxItems: maxTransactionsInRequest,
        description: 'Ids of its tags; by default none.',
      }),
    ),
    notes: optional(
      nullable(text('Notes; null or empty: none. By default those of the original.')),
    ),
  },
  { example: { amount: '4.4', payee: 'Bread' } },
);
type SplitPart = Static<typeof SplitPart>;

/** The body of POST /v2/transactions/split/{id}. */
export const TransactionSplit = object(
  'TransactionSplit',
  'The parts of a transaction.',
  {
    child_transactions: Type.Array(reference(SplitPart), {
      minItems: 2,
      maxItems: maxTransactionsInRequest,
      description: 'The parts. Their amounts total the amount of the original.',
    }),
  },
  {
    example: {
      child_transactions: [exampleOf(SplitPart), { amount: 3, payee: 'Cake', notes: null }],
    },
  },
);
