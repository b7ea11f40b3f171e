import { Type, type Static } from 'typebox';
import {
  amount,
  anyObject,
  count,
  Currency,
  date,
  dateTime,
  day,
  exampleOf,
  flag,
  id,
  listOf,
  nullable,
  object,
  optional,
  reference,
  text,
  word,
} from '../../operations/schema.ts';
import { maxExternalIdLength, maxTransactionsInRequest } from '../../operations/limits.ts';
import { maxId, minId } from '@coffer/core/ids';
import { amountInput } from '../../operations/amounts.ts';

/** The values of a transaction's `status`. */
export const transactionStatuses = ['reviewed', 'unreviewed', 'delete_pending'] as const;

/** The origins of transactions. */
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
  'A file attached to a transaction, without its content.',
  {
    id: id('Id of the attachment.'),
    uploaded_by: id('Id of the user who attached it.'),
    name: text('Name of the file.'),
    type: text('Media type, such as `application/pdf`.'),
    size: count('Size in kilobytes.'),
    notes: nullable(text('Notes of the user.')),
    created_at: dateTime('When it was attached.'),
  },
  {
    example: {
      id: 31,
      uploaded_by: 1,
      name: 'receipt.png',
      type: 'image/png',
      size: 4330,
      notes: null,
      created_at: '2026-03-15T06:30:00.250Z',
    },
  },
);
export type TransactionAttachment = Static<typeof TransactionAttachment>;

const what = {
  id: id('Id of the transaction.'),
  date: date('Day of the transaction.'),
  amount: amount('Amount in `currency`; positive is money out.'),
  currency: reference(Currency, 'Currency of `amount`.'),
  to_base: Type.Number({
    format: 'double',
    description: "Amount in the book's primary currency.",
  }),
  recurring_id: nullable(id('Id of its recurring item.')),
  payee: text('Who was paid or who paid.'),
  original_name: nullable(text('Payee as first received; later changes do not affect it.')),
  category_id: nullable(id('Id of its category, never of a group.')),
  plaid_account_id: nullable(id('Id of its synced account.')),
  manual_account_id: nullable(id('Id of its manual account.')),
  external_id: nullable(
    Type.String({
      minLength: 0,
      maxLength: maxExternalIdLength,
      description: 'Id in another system, unique within a manual account.',
    }),
  ),
  tag_ids: Type.Array(id('Id of a tag.'), { description: 'Ids of its tags.' }),
  notes: nullable(text('Notes of the user.')),
  status: word(transactionStatuses, {
    description:
      'Review status.\n\n' +
      '`reviewed`: approved by the user or by a reviewed recurring item. ' +
      '`unreviewed`: not approved yet, as all pending transactions. ' +
      '`delete_pending`: withdrawn by the bank after the user changed it; the user has to decide.',
  }),
  is_pending: flag('Not posted by the bank yet; only in synced accounts.'),
  created_at: dateTime('When it was created.'),
  updated_at: dateTime('When it was last changed.'),
  is_split_parent: flag('Whether it was split.'),
  split_parent_id: nullable(id('Id of the transaction that it was split from.')),
  is_group_parent: flag(
    'Whether it is a group; `amount` and `currency` are those of the whole group.',
  ),
  group_parent_id: nullable(id('Id of the group that it is a member of.')),
};

const metadata = {
  plaid_metadata: optional(
    nullable(anyObject('Data from the bank; in lists with `include_metadata`.')),
  ),
  custom_metadata: optional(
    nullable(anyObject('Data of API clients; in lists with `include_metadata`.')),
  ),
  files: optional(listOf(TransactionAttachment, 'Attached files; in lists with `include_files`.')),
};

const origin = {
  source: nullable(
    word(transactionSources, {
      description:
        'Origin; null when unknown.\n\n' +
        '`api`: this API. `csv`: an imported file. `manual`: entered by hand. `merge`: a merged account. ' +
        '`plaid`: a synced account. `recurring`: a recurring item. `rule`: a rule that splits. `split`: a split. ' +
        '`user`: older name for `csv` and `manual`.',
    }),
  ),
};

const bakery = {
  id: 5120,
  date: '2026-03-14',
  amount: '7.4000',
  currency: 'eur',
  to_base: 7.4,
  recurring_id: null,
  payee: 'Corner Bakery',
  original_name: 'CORNER BAKERY 0042',
  category_id: 12,
  plaid_account_id: null,
  manual_account_id: 3,
  external_id: '2026-03-14-0007',
  tag_ids: [4],
  notes: null,
  status: 'reviewed',
  is_pending: false,
  created_at: '2026-03-15T06:30:00.000Z',
  updated_at: '2026-03-15T06:30:00.000Z',
  is_split_parent: false,
  split_parent_id: null,
  is_group_parent: false,
  group_parent_id: null,
  source: 'csv',
} as const;

/** A transaction inside the `children` of its split parent or group. */
export const ChildTransaction = object(
  'ChildTransaction',
  'A part of a split transaction, or a member of a group.',
  { ...what, ...metadata, ...origin },
  {
    example: {
      ...bakery,
      id: 5140,
      amount: '4.4000',
      to_base: 4.4,
      payee: 'Bread',
      external_id: null,
      tag_ids: [],
      split_parent_id: 5120,
      source: 'split',
      plaid_metadata: null,
      custom_metadata: null,
      files: [],
    },
  },
);
export type ChildTransaction = Static<typeof ChildTransaction>;

/** A transaction. */
export const Transaction = object(
  'Transaction',
  'A transaction. It belongs to one account at most. With a recurring item, `payee` and `notes` are those of the item.',
  {
    ...what,
    children: optional(
      listOf(
        ChildTransaction,
        'Parts of a split transaction or members of a group; in lists with `include_children`.',
      ),
    ),
    ...metadata,
    ...origin,
  },
  {
    example: {
      ...bakery,
      tag_ids: [...bakery.tag_ids],
      plaid_metadata: null,
      custom_metadata: { till: 2 },
      files: [exampleOf(TransactionAttachment)],
    },
  },
);
export type Transaction = Static<typeof Transaction>;

/** The response of GET /v2/transactions: one page. */
export const TransactionListResponse = object(
  'TransactionListResponse',
  'A page of transactions.',
  {
    transactions: listOf(Transaction, 'The transactions, newest first; empty past the last match.'),
    has_more: flag('Whether more transactions match after this page.'),
  },
  { title: 'Transaction list' },
);
export type TransactionListResponse = Static<typeof TransactionListResponse>;

const child = exampleOf(ChildTransaction);

/** Examples of transactions that have others inside them. */
export const parentExamples = {
  group: {
    summary: 'A group and its members',
    value: {
      ...exampleOf(Transaction),
      id: 5130,
      amount: '52.6000',
      to_base: 52.6,
      payee: 'Day trip',
      original_name: 'Day trip',
      manual_account_id: null,
      external_id: null,
      is_group_parent: true,
      source: 'api',
      files: [],
      children: [
        { ...child, id: 5120, split_parent_id: null, group_parent_id: 5130 },
        {
          ...child,
          id: 5121,
          amount: '45.2000',
          to_base: 45.2,
          payee: 'Railway',
          split_parent_id: null,
          group_parent_id: 5130,
        },
      ],
    } satisfies Transaction,
  },
  split: {
    summary: 'A split transaction and its parts',
    value: {
      ...exampleOf(Transaction),
      is_split_parent: true,
      children: [child, { ...child, id: 5141, amount: '3.0000', to_base: 3, payee: 'Cake' }],
    } satisfies Transaction,
  },
} as const;

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
