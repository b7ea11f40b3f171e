import { maxId } from '@coffer/core/ids';
import { Type, type Static } from 'typebox';
import { maxTransactionsInRequest } from '../../operations/limits.ts';
import {
  amount,
  date,
  exampleOf,
  flag,
  id,
  listOf,
  nullable,
  object,
  only,
  optional,
  reference,
  someId,
  text,
  word,
} from '../../operations/schema.ts';
import { bare, givenOrNull, openObject } from '../refusals.ts';
import { type FormV1 } from '../../operations/forms-v1.ts';
import { RecurringItem } from '../../ledger/recurring/schema.ts';
import { Tag, tagName } from '../../ledger/tags/schema.ts';
import { TransactionGroupInsert, Transaction } from '../../ledger/transactions/schema.ts';
import { TransactionInsert, TransactionUpdate } from '../../ledger/transactions/requests/bodies.ts';

/** The form of refusals that have one text and no list. */
export const oneText = { status: 404, key: 'error' } as const satisfies FormV1;

const ids = (description: string) => Type.Array(id('Id of a transaction.'), { description });

const shown = Transaction.properties;
const { granularity, quantity } = RecurringItem.properties.transaction_criteria.properties;
const { manual_account_id: asset_id, plaid_account_id } = shown;

const sources = ['api', 'csv', 'manual', 'merge', 'plaid', 'recurring', 'rule', 'user'] as const;

export const TransactionTagV1 = object(
  'TransactionTagV1',
  'A tag of a transaction.',
  { ...only(Tag.properties, ['name', 'id']) },
  { example: { name: 'Road trip', id: 4 } },
);
type TransactionTagV1 = Static<typeof TransactionTagV1>;

const GroupMemberV1 = object('GroupMemberV1', 'A member of a group.', {
  ...only(shown, ['id', 'payee']),
  amount: amount('Amount in `currency`.'),
  ...only(shown, ['currency', 'date']),
  formatted_date: date('The same day.'),
  notes: shown.notes,
  asset_id,
  plaid_account_id,
  to_base: shown.to_base,
});
export type GroupMemberV1 = Static<typeof GroupMemberV1>;

/** A transaction as v1 shows it, with the texts of the records that it refers to. */
export const TransactionV1 = object(
  'TransactionV1',
  'A transaction, with the texts of its category, account, recurring item and tags. With a recurring item, `payee` ' +
    'and `notes` are those of the item.',
  {
    ...only(shown, ['id', 'date']),
    amount: Type.String({
      pattern: String.raw`^-?(0|[1-9]\d*)(\.\d{1,4})?$`,
      description:
        'Amount in `currency`: with four decimals; that of a group without zeros at the end.',
    }),
    ...only(shown, ['currency', 'to_base', 'payee', 'category_id']),
    category_name: nullable(text('Name of the category.')),
    category_group_id: nullable(id('Id of the group of the category.')),
    category_group_name: nullable(text('Name of the group of the category.')),
    is_income: flag('Whether the category is income.'),
    exclude_from_budget: flag('Whether the category is excluded from the budget.'),
    exclude_from_totals: flag('Whether the category is excluded from totals.'),
    ...only(shown, ['created_at', 'updated_at']),
    status: word(['cleared', 'uncleared', 'pending'], {
      description:
        '`cleared`: reviewed. `pending`: not posted by the bank yet. `uncleared`: all others.',
    }),
    ...only(shown, ['is_pending', 'notes', 'original_name', 'recurring_id']),
    recurring_payee: nullable(text('Payee of the recurring item.')),
    recurring_description: nullable(text('Notes or description of the recurring item.')),
    recurring_cadence: nullable(text('Rhythm in words, such as `monthly`.')),
    recurring_granularity: nullable(granularity),
    recurring_quantity: nullable(quantity),
    recurring_type: nullable(
      word(['cleared', 'suggested', 'dismissed'], { description: 'Review status of the item.' }),
    ),
    recurring_amount: nullable(amount('Expected amount.')),
    recurring_currency: nullable(text('Currency of the expected amount.')),
    parent_id: shown.split_parent_id,
    has_children: shown.is_split_parent,
    group_id: shown.group_parent_id,
    is_group: flag('Whether it is a group.'),
    asset_id,
    asset_institution_name: nullable(text('Institution of the manual account.')),
    asset_name: nullable(text('Name of the manual account.')),
    asset_display_name: nullable(text('Display name of the manual account.')),
    asset_status: nullable(text('Status of the manual account.')),
    plaid_account_id,
    plaid_account_name: nullable(text('Name of the synced account.')),
    plaid_account_mask: nullable(text('Last digits of the number of the synced account.')),
    institution_name: nullable(text('Institution of the synced account.')),
    plaid_account_display_name: nullable(text('Display name of the synced account.')),
    plaid_metadata: nullable(text('Data from the bank: JSON in a string.')),
    source: nullable(word(sources, { description: 'Origin, as in v2; parts have `api`.' })),
    display_name: text('The same as `payee`.'),
    display_notes: nullable(text('The same as `notes`.')),
    account_display_name: text('Name of its account in lists; empty without an account.'),
    tags: listOf(TransactionTagV1, 'Its tags.'),
    children: optional(listOf(GroupMemberV1, 'The members of a group; absent otherwise.')),
    external_id: shown.external_id,
  },
);
export type TransactionV1 = Static<typeof TransactionV1>;

/** A page of transactions. */
export const TransactionListV1 = object('TransactionListV1', 'A page of transactions.', {
  transactions: listOf(
    TransactionV1,
    'The transactions, sorted by `date`, then by `id`, both ascending.',
  ),
  has_more: flag('Whether older transactions match.'),
});

const sentGroup = TransactionGroupInsert.properties;
const sentDay = text('Day `YYYY-MM-DD`; the time of a date-time is ignored.');

/** The body of POST /v1/transactions/group. */
export const GroupInsertV1 = openObject(
  'GroupInsertV1',
  'Transactions to group, and the group.',
  {
    date: sentDay,
    ...only(sentGroup, ['payee', 'notes']),
    category_id: givenOrNull(
      id('Id of its category. By default, or with null, the one that all transactions share.'),
    ),
    tags: givenOrNull(sentGroup.tag_ids),
    transactions: sentGroup.ids,
  },
  { date: '2026-03-14', payee: 'Day trip', transactions: [5120, 5121] },
);
export type GroupInsertV1 = Static<typeof GroupInsertV1>;

export const GroupIdV1 = bare('GroupIdV1', id('Id of the new group.'), 5130);

/** The response of DELETE /v1/transactions/group/{id}. */
export const UngroupedV1 = object(
  'UngroupedV1',
  'The transactions that were members of a group.',
  { transactions: ids('Their ids.') },
  { example: { transactions: [5120, 5121] } },
);

/** A number or a decimal text, which is checked with the other values of a transaction. */
const sentAmount = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  description:
    'Amount; more than four decimals are rounded. Its sign depends on `debit_as_negative`.',
});
const tag = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  minimum: -maxId,
  maximum: maxId,
  ...tagName,
  description: 'Id of a tag, or its name; a tag with a new name is created.',
});
const several = { minItems: 1, maxItems: maxTransactionsInRequest };

/** What requests set of a transaction. */
const values = {
  date: givenOrNull(sentDay),
  amount: givenOrNull(sentAmount),
  currency: givenOrNull(text('Code of the currency of `amount`.')),
  payee: givenOrNull(TransactionUpdate.properties.payee),
  ...only(TransactionInsert.properties, ['category_id', 'recurring_id', 'notes', 'external_id']),
  asset_id: TransactionInsert.properties.manual_account_id,
  plaid_account_id: givenOrNull(
    someId('Id of a synced account whose transactions can be changed; not with `asset_id`.'),
  ),
  status: givenOrNull(text('`cleared` or `uncleared`.')),
  tags: givenOrNull(Type.Array(tag, { maxItems: several.maxItems, description: 'Its tags.' })),
};
/** The names of the properties that an update can change. */
export const updatablePropertiesV1: readonly string[] = Object.keys(values);

const TransactionInsertV1 = openObject(
  'TransactionInsertV1',
  'A new transaction. It needs a date and an amount; the currency is by default that of the book, the status `uncleared`.',
  values,
  { date: '2026-03-14', amount: 7.4, payee: 'Corner Bakery', tags: ['Road trip'] },
);
const TransactionUpdateV1 = openObject(
  'TransactionUpdateV1',
  'Changes to a transaction. Null leaves a property as it is, but removes the category or the tags.',
  values,
  { notes: 'Breakfast' },
);
/** What a request sets of a new or an existing transaction. */
export type TransactionValuesV1 = Static<typeof TransactionUpdateV1>;

/** The names of what a part has of its own. */
export const partPropertiesV1 = ['payee', 'date', 'category_id', 'notes'] as const;
const SplitPartV1 = openObject(
  'SplitPartV1',
  'A part of a transaction. What is null or absent is that of the transaction.',
  { amount: sentAmount, ...only(values, partPropertiesV1) },
  { amount: '4.4', payee: 'Bread' },
);
export type SplitPartV1 = Static<typeof SplitPartV1>;

function option(isDefault: boolean, description: string) {
  return givenOrNull(flag(description, isDefault));
}

const options = {
  debit_as_negative: option(false, 'Money out is sent as negative, and money in as positive.'),
  skip_balance_update: option(true, 'Leave the balances of manual accounts as they are.'),
};

/** The body of POST /v1/transactions. */
export const TransactionsInsertV1 = openObject(
  'TransactionsInsertV1',
  'New transactions.',
  {
    transactions: Type.Array(reference(TransactionInsertV1), {
      ...several,
      description: 'The transactions.',
    }),
    apply_rules: option(false, 'Apply the rules of the book to them.'),
    skip_duplicates: option(
      false,
      'Skip transactions that exist: with the same `external_id` and account, or the same date, payee, amount and account.',
    ),
    check_for_recurring: option(false, 'Has no effect: recurring items are always found.'),
    ...options,
  },
  { transactions: [exampleOf(TransactionInsertV1)], skip_duplicates: true },
);
export type TransactionsInsertV1 = Static<typeof TransactionsInsertV1>;

/** The response of POST /v1/transactions. */
export const InsertedTransactionsV1 = object(
  'InsertedTransactionsV1',
  'The new transactions.',
  { ids: ids('Ids in the order of the request, without transactions that were skipped.') },
  { example: { ids: [5120] } },
);

/** The body of PUT /v1/transactions/{id}. */
export const TransactionChangeV1 = openObject('TransactionChangeV1', 'A change, a split or both.', {
  transaction: optional(Type.Union([reference(TransactionUpdateV1), Type.Null()])),
  split: givenOrNull(
    Type.Array(reference(SplitPartV1), {
      ...several,
      description: 'The parts. Their amounts total the stored amount of the transaction.',
    }),
  ),
  ...options,
});
export type TransactionChangeV1 = Static<typeof TransactionChangeV1>;

/** The response of PUT /v1/transactions/{id}. */
export const ChangedTransactionV1 = object('ChangedTransactionV1', 'What was changed.', {
  updated: Type.Literal(true, { description: 'It is done.' }),
  split: optional(ids('Ids of the new parts, in their order.')),
});

/** The body of POST /v1/transactions/unsplit. */
export const UnsplitV1 = openObject(
  'UnsplitV1',
  'Split transactions.',
  {
    parent_ids: Type.Array(someId('Id of a split transaction.'), {
      ...several,
      description: 'Ids of the split transactions.',
    }),
    remove_parents: option(false, 'Delete the split transactions, too.'),
  },
  { parent_ids: [5120] },
);
export type UnsplitV1 = Static<typeof UnsplitV1>;

/** The response of POST /v1/transactions/unsplit. */
export const UnsplitIdsV1 = bare(
  'UnsplitIdsV1',
  ids('Of the deleted transactions: of each split the parts, then the split one if it is removed.'),
  [5140, 5141],
);
