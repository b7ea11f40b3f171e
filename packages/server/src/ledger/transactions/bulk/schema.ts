import { Type, type Static } from 'typebox';
import { maxOffset } from '../../../operations/limits.ts';
import {
  amount,
  closed,
  count,
  flag,
  object,
  only,
  optional,
  partial,
  reference,
  someId,
  word,
} from '../../../operations/schema.ts';
import { forced } from '../proved-rows.ts';
import { TransactionUpdate } from '../requests/bodies.ts';
import { MonthsQuery, SelectionQuery } from '../selection/schema.ts';

/** Most tags that a bulk change adds, or takes away. */
const mostTags = 100;

const tagIds = (description: string) =>
  Type.Array(someId('Id of a tag.'), { minItems: 1, maxItems: mostTags, description });

/** The query of a bulk change: the filters of a list, its order, and places of it. */
export const BulkQuery = closed({
  ...MonthsQuery.properties,
  ...only(SelectionQuery.properties, ['sort']),
  ...forced,
  offset: Type.Integer({
    minimum: 0,
    maximum: maxOffset,
    default: 0,
    description: 'Number of matching transactions to leave out at the start of the list.',
  }),
  limit: optional(
    Type.Integer({
      minimum: 1,
      maximum: maxOffset,
      description: 'Most transactions after `offset`; by default all.',
    }),
  ),
});
export type BulkQuery = Static<typeof BulkQuery>;

/** What a bulk change sets. */
const BulkUpdate = object(
  'BulkUpdate',
  'New values of each transaction; at least one.',
  {
    ...only(TransactionUpdate.properties, [
      ...(['date', 'amount', 'manual_account_id', 'plaid_account_id'] as const),
      ...(['category_id', 'payee', 'notes'] as const),
    ]),
    ...partial({
      status: word(['reviewed', 'unreviewed'], { description: 'Review status.' }),
      add_tag_ids: tagIds('Ids of tags to add.'),
      remove_tag_ids: tagIds('Ids of tags to take away.'),
    }),
  },
  { example: { category_id: 12, add_tag_ids: [4] } },
);
export type BulkUpdate = Static<typeof BulkUpdate>;

/** The body of POST /coffer/transactions/bulk and of its preview. */
export const BulkChange = object(
  'BulkChange',
  'What to do with all matching transactions: either `update` or `delete`.',
  {
    update: optional(reference(BulkUpdate)),
    delete: optional(flag('Delete them with their files.')),
    version: optional(
      count(
        'The `version` of the preview. If the book has another one by now, the response is 409 and nothing is changed.',
      ),
    ),
  },
  { example: { update: { status: 'reviewed' } } },
);
export type BulkChange = Static<typeof BulkChange>;

/** The response of POST /coffer/transactions/bulk and of its preview. */
export const BulkOutcome = object(
  'BulkOutcome',
  'What a bulk change does.',
  {
    version: count('Version of the book: that of the preview, or after the change.'),
    matched: count('Number of matching transactions.'),
    total: amount(
      'Sum of these in the primary currency of the book before the change; money out is positive.',
    ),
    changed: count('Number of those that are changed or deleted.'),
    left_out: object('LeftOut', 'Numbers of those that cannot be changed so.', {
      pending: count('Pending transactions, which cannot be reviewed.'),
      split: count('Transactions that are split, and parts, which cannot be deleted.'),
      grouped: count(
        'Groups and their members, which cannot be deleted; groups, whose amount and account are those of their ' +
          'members.',
      ),
      locked: count('Transactions of synced accounts whose amount and account cannot be changed.'),
    }),
  },
  {
    example: {
      version: 42,
      matched: 1204,
      total: '-2832.6000',
      changed: 1180,
      left_out: { pending: 3, split: 0, grouped: 0, locked: 0 },
    },
  },
);
export type BulkOutcome = Static<typeof BulkOutcome>;

/** Examples of bodies. */
export const bulkExamples = {
  review: { summary: 'Review them', value: { update: { status: 'reviewed' } } },
  category: { summary: 'Another category', value: { update: { category_id: 12 } } },
};

/** The refusal of a change whose preview was of another version, as an example. */
export const bookChanged = {
  summary: 'The book has changed',
  value: {
    message: 'Conflict',
    errors: [
      {
        errMsg: 'The book has changed since the preview: it has version 43, not 42',
        version: 42,
        current: 43,
      },
    ],
  },
};
