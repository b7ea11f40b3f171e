import { Type, type Static } from 'typebox';
import { amountInput } from '../../../operations/amounts.ts';
import { maxExternalIdLength, maxTransactionsInRequest } from '../../../operations/limits.ts';
import {
  anyObject,
  closed,
  count,
  Currency,
  day,
  exampleOf,
  flag,
  id,
  ignoring,
  listOf,
  nullable,
  object,
  optional,
  partial,
  reference,
  someId,
  text,
  word,
} from '../../../operations/schema.ts';
import { Transaction, transactionStatuses } from '../schema.ts';

const values = {
  date: day('Day of the transaction.'),
  amount: amountInput(
    'Amount in `currency`; positive is money out. A number is rounded to four decimals.',
  ),
  category_id: nullable(someId('Id of a category, not of a group.')),
  notes: nullable(text('Notes; empty means none.')),
  manual_account_id: nullable(someId('Id of a manual account; not with `plaid_account_id`.')),
  plaid_account_id: nullable(
    someId(
      'Id of a synced account whose transactions can be changed; not with `manual_account_id`.',
    ),
  ),
  recurring_id: nullable(someId('Id of a recurring item.')),
  external_id: nullable(
    Type.String({
      maxLength: maxExternalIdLength,
      description: 'Id in another system, unique within a manual account; empty means none.',
    }),
  ),
  custom_metadata: nullable(anyObject('Data of API clients; at most 4096 characters as JSON.')),
};

const { date, amount, ...others } = values;

/** A transaction to insert. It has no defaults, because responses repeat it as it was sent. */
export const TransactionInsert = object(
  'TransactionInsert',
  'A new transaction.',
  {
    date,
    amount,
    ...partial({
      currency: reference(Currency, 'By default the primary currency of the book.'),
      payee: nullable(text('Who was paid or who paid; by default `[No Payee]`.')),
      original_name: nullable(text('Payee as first received; by default `payee`.')),
      ...others,
      status: word(['reviewed', 'unreviewed'], { description: 'By default `unreviewed`.' }),
      tag_ids: Type.Array(someId('Id of a tag.'), { description: 'Ids of its tags.' }),
    }),
  },
  {
    example: {
      date: '2026-03-14',
      amount: '7.4',
      payee: 'Corner Bakery',
      manual_account_id: 3,
      external_id: '2026-03-14-0007',
    },
  },
);
export type TransactionInsert = Static<typeof TransactionInsert>;

/** The properties of a transaction that an update can change. */
const updatable = {
  ...values,
  currency: reference(Currency, 'Currency of `amount`.'),
  payee: text('Who was paid or who paid.'),
  tag_ids: Type.Array(someId('Id of a tag.'), { description: 'Ids of all its tags.' }),
  additional_tag_ids: Type.Array(someId('Id of a tag.'), {
    description: 'Ids of tags to add to its tags; not with `tag_ids`.',
  }),
  status: word(transactionStatuses, {
    description: 'Review status; `delete_pending` only if it has this status already.',
  }),
};

/** The names of {@link updatable}. */
export const updatableProperties: readonly string[] = Object.keys(updatable);

/** Properties of responses, so that a whole transaction can be sent back. */
const ignoredProperties = {
  ...ignoring(
    'to_base',
    'is_pending',
    'original_name',
    'source',
    'created_at',
    'updated_at',
    'plaid_metadata',
    'files',
    'is_split_parent',
    'split_parent_id',
    'children',
    'is_group_parent',
    'group_parent_id',
  ),
};

const update = { ...partial(updatable), ...ignoredProperties };

/** Changes to one transaction; omitted properties stay as they are. */
export const TransactionUpdate = object(
  'TransactionUpdate',
  'Changes to a transaction.',
  {
    ...ignoring('id'),
    ...update,
  },
  { example: { category_id: 12, additional_tag_ids: [4] } },
);
export type TransactionUpdate = Static<typeof TransactionUpdate>;

/** Changes to one of several transactions. */
export const TransactionUpdateWithId = object(
  'TransactionUpdateWithId',
  'Changes to one of several transactions.',
  { id: someId('Id of the transaction.'), ...update },
  { example: { id: 5120, category_id: 12 } },
);
export type TransactionUpdateWithId = Static<typeof TransactionUpdateWithId>;

const severalItems = { minItems: 1, maxItems: maxTransactionsInRequest };

/** The body of POST /v2/transactions, with defaults. */
export const TransactionsInsert = object(
  'TransactionsInsert',
  'New transactions.',
  {
    transactions: Type.Array(reference(TransactionInsert), {
      ...severalItems,
      description: 'The transactions.',
    }),
    apply_rules: optional(flag('Apply the rules of the book to them.', false)),
    skip_duplicates: optional(
      flag(
        'Skip transactions with the date, payee, amount and account of one that exists.\n\n' +
          'Transactions whose `external_id` exists in their manual account are always skipped.',
        false,
      ),
    ),
    skip_balance_update: optional(
      flag('Leave the balances of manual accounts as they are.', false),
    ),
  },
  { example: { transactions: [exampleOf(TransactionInsert)] } },
);
export type TransactionsInsert = Static<typeof TransactionsInsert>;

/** The body of PUT /v2/transactions. */
export const TransactionsUpdate = object('TransactionsUpdate', 'Changes to transactions.', {
  transactions: Type.Array(reference(TransactionUpdateWithId), {
    ...severalItems,
    description: 'The changes. Several changes of one transaction apply in this order.',
  }),
});

/** The body of DELETE /v2/transactions. */
export const TransactionsDelete = object(
  'TransactionsDelete',
  'Transactions to delete.',
  {
    ids: Type.Array(someId('Id of a transaction.'), {
      ...severalItems,
      description: 'Ids of the transactions, each once.',
    }),
  },
  { example: { ids: [5093, 5120] } },
);

/** The query of PUT /v2/transactions/{id}. */
export const UpdateQuery = closed({
  update_balance: optional(flag('false: leave the balances of manual accounts as they are.')),
});

/** A transaction that was not inserted, because it exists. */
export const SkippedTransaction = object(
  'SkippedTransaction',
  'A transaction that was not inserted, because it exists.',
  {
    reason: word(['duplicate_external_id', 'duplicate_payee_amount_date'], {
      description:
        'Why it was skipped.\n\n`duplicate_external_id`: its manual account has a transaction with its `external_id`. ' +
        '`duplicate_payee_amount_date`: with `skip_duplicates`, its account has a transaction with its date, payee and amount.',
    }),
    request_transactions_index: count('Its index in the request.'),
    existing_transaction_id: id('Id of the transaction that exists.'),
    request_transaction: reference(TransactionInsert, 'As it was sent.'),
  },
  {
    example: {
      reason: 'duplicate_external_id',
      request_transactions_index: 0,
      existing_transaction_id: 5120,
      request_transaction: exampleOf(TransactionInsert),
    },
  },
);
export type SkippedTransaction = Static<typeof SkippedTransaction>;

const transactions = listOf(Transaction, 'In the order of the request.');

/** The response of POST /v2/transactions. */
export const InsertedTransactions = object(
  'InsertedTransactions',
  'The inserted transactions, and those that were skipped.',
  {
    transactions,
    skipped_duplicates: listOf(
      SkippedTransaction,
      'The transactions that were not inserted, because they exist.',
    ),
  },
);
export type InsertedTransactions = Static<typeof InsertedTransactions>;

/** The response of PUT /v2/transactions. */
export const UpdatedTransactions = object('UpdatedTransactions', 'The changed transactions.', {
  transactions,
});
export type UpdatedTransactions = Static<typeof UpdatedTransactions>;

/** Examples of bodies. */
export const writeExamples = {
  insert: {
    one: {
      summary: 'A transaction in a manual account',
      value: exampleOf(TransactionsInsert),
    },
    least: {
      summary: 'Only what is required, without duplicates',
      value: { transactions: [{ date: '2026-03-14', amount: -12 }], skip_duplicates: true },
    },
  },
  update: {
    some: { summary: 'A category and one more tag', value: exampleOf(TransactionUpdate) },
    whole: {
      summary: 'A whole transaction, with other notes',
      value: { ...exampleOf(Transaction), notes: 'Bread' },
    },
  },
};
