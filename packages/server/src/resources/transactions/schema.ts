import { Type, type Static } from 'typebox';
import type { CurrencyCode } from '../../wire/currencies.ts';
import {
  amount,
  anyObject,
  date,
  dateTime,
  id,
  nullable,
  object,
  reference,
  word,
} from '../../wire/schema.ts';
import { maxExternalIdLength } from '../../wire/limits.ts';

/** What a transaction's `status` can be. */
export const transactionStatuses = ['reviewed', 'unreviewed', 'delete_pending'] as const;

/** Where a transaction can come from. */
const transactionSources = [
  'api',
  'csv',
  'manual',
  'merge',
  'plaid',
  'recurring',
  'rule',
  'split',
  'user',
] as const;

/** A file that is attached to a transaction. */
export const TransactionAttachment = object(
  'TransactionAttachment',
  'A file attached to a transaction: what is known about it, not its content.',
  {
    id: id('The id of the attachment.'),
    uploaded_by: id('The id of the user who attached it.'),
    name: Type.String({ description: "The file's name." }),
    type: Type.String({ description: "The file's media type, such as `application/pdf`." }),
    size: Type.Integer({ minimum: 0, description: 'The size of the file in kilobytes.' }),
    notes: nullable(
      Type.String({ description: 'What the user wrote about it; null when nothing.' }),
    ),
    created_at: dateTime('When it was attached, in UTC.'),
  },
  'Transaction attachment',
);
export type TransactionAttachment = Static<typeof TransactionAttachment>;

const what = {
  id: id('The id of the transaction.'),
  date: date('The day of the transaction, `YYYY-MM-DD`, without a time zone.'),
  amount: amount(
    'The amount in `currency`, as text with exactly four decimals. Positive is money out, negative is money in, whatever the category.',
  ),
  currency: reference<CurrencyCode>('Currency', 'The currency of `amount`.'),
  to_base: Type.Number({
    format: 'double',
    description:
      "The amount in the book's primary currency, with the sign of `amount`; equal to it when the currencies are the same.",
  }),
  recurring_id: nullable(id('The id of the recurring item it belongs to; null for none.')),
  payee: Type.String({
    description:
      "Who was paid or who paid. The recurring item's payee when the transaction belongs to one.",
  }),
  original_name: nullable(
    Type.String({
      description:
        'The payee as the source first gave it, which later changes leave alone; null when it was not kept.',
    }),
  ),
  category_id: nullable(
    id('The id of its category, never of a group; null when it is uncategorized.'),
  ),
  plaid_account_id: nullable(
    id(
      'The id of the synced account it belongs to; null when it belongs to a manual one or to none.',
    ),
  ),
  manual_account_id: nullable(
    id(
      'The id of the manual account it belongs to; null when it belongs to a synced one or to none.',
    ),
  ),
  external_id: nullable(
    Type.String({
      minLength: 0,
      maxLength: maxExternalIdLength,
      description: `The id that another system gave it: at most ${maxExternalIdLength} characters, unique within a manual account; null for none.`,
    }),
  ),
  tag_ids: Type.Array(id('The id of a tag.'), {
    description: 'The ids of its tags; empty when it has none.',
  }),
  notes: nullable(
    Type.String({
      description:
        "What the user wrote about it; null when nothing. The recurring item's notes when it belongs to one.",
    }),
  ),
  status: word(transactionStatuses, {
    description:
      '`reviewed`: the user, or a reviewed recurring item, has approved it. `unreviewed`: nobody has; pending ones always are. ' +
      '`delete_pending`: its bank has withdrawn it after the user changed it, and the user has to decide.',
  }),
  is_pending: Type.Boolean({
    description:
      'Whether its bank has yet to post it. Only transactions of synced accounts can be pending.',
  }),
  created_at: dateTime('When the record was made, in UTC.'),
  updated_at: dateTime('When the record was last changed, in UTC.'),
  is_split_parent: Type.Boolean({
    description:
      'Whether it has been split into others. Lists leave such a transaction out unless `include_split_parents` is true.',
  }),
  split_parent_id: nullable(
    id('The id of the transaction it was split from; null when it is no part of a split.'),
  ),
  is_group_parent: Type.Boolean({
    description:
      'Whether it stands for a group of transactions; `amount` and `currency` are then those of the whole group.',
  }),
  group_parent_id: nullable(
    id(
      'The id of the group it is a member of; null when it is in none. Lists leave members out unless `include_group_children` is true.',
    ),
  ),
};

const metadata = {
  plaid_metadata: Type.Optional(
    nullable(
      anyObject(
        'What the bank link sent along, an object of any shape; null when nothing. In lists only with `include_metadata`.',
      ),
    ),
  ),
  custom_metadata: Type.Optional(
    nullable(
      anyObject(
        "The caller's own data about it, an object of any shape; null when nothing. In lists only with `include_metadata`.",
      ),
    ),
  ),
  files: Type.Optional(
    Type.Array(reference<TransactionAttachment>('TransactionAttachment'), {
      description: 'The files attached to it; empty for none. In lists only with `include_files`.',
    }),
  ),
};

const origin = {
  source: nullable(
    word(transactionSources, {
      description:
        'Where it came from. `api`: this interface. `csv`: an imported file. `manual`: typed in. `merge`: an account merged into another. ' +
        '`plaid`: a synced account. `recurring`: a recurring item. `rule`: a rule that splits. `split`: a split. ' +
        '`user`: an old word for `csv` or `manual`. Null: not known.',
    }),
  ),
};

/** A transaction inside the `children` of its split parent or group. */
export const ChildTransaction = object(
  'ChildTransaction',
  'A part of a split transaction, or a member of a group, as its parent shows it. It has no `children` of its own.',
  { ...what, ...metadata, ...origin },
  'Child transaction',
);
export type ChildTransaction = Static<typeof ChildTransaction>;

/** A transaction. */
export const Transaction = object(
  'Transaction',
  'Money that moved on a day. The keys that are not required are absent, not null, when they were not asked for.',
  {
    ...what,
    children: Type.Optional(
      Type.Array(reference<ChildTransaction>('ChildTransaction'), {
        description:
          'The parts of a split transaction, or the members of a group. Absent for any other transaction. In lists only with `include_children`.',
      }),
    ),
    ...metadata,
    ...origin,
  },
  'Transaction',
);
export type Transaction = Static<typeof Transaction>;

/** The answer to GET /v2/transactions: one page. */
export const TransactionListResponse = object(
  'TransactionListResponse',
  'One page of the transactions that match, and whether more follow.',
  {
    transactions: Type.Array(reference<Transaction>('Transaction'), {
      description:
        'The transactions of the page, newest first: by `date`, then by `id`, both descending. Empty when nothing matches, or when `offset` lies past the last match.',
    }),
    has_more: Type.Boolean({
      description:
        'True when more transactions match beyond this page: ask again with `offset` raised by `limit`. False on the last page, also when that page is full.',
    }),
  },
  'Transaction list',
);
export type TransactionListResponse = Static<typeof TransactionListResponse>;
