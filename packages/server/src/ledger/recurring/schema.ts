import { Type, type Static } from 'typebox';
import { maxId, minId } from '@coffer/core/ids';
import { amountInput } from '../../operations/amounts.ts';
import {
  Currency,
  amount,
  date,
  dateTime,
  id,
  idPath,
  ignored,
  list,
} from '../../operations/schema.ts';
import { nullable, object, reference, word } from '../../operations/schema.ts';

const granularities = ['day', 'week', 'month', 'year'] as const;
const sources = ['manual', 'transaction', 'system'] as const;

const what = {
  start_date: nullable(date('First day on which transactions match; null: no first day.')),
  end_date: nullable(date('Last day on which transactions match; null: no last day.')),
  granularity: word(granularities, { description: 'Unit of the time between two occurrences.' }),
  quantity: Type.Integer({ minimum: 1, description: 'Number of units between two occurrences.' }),
  anchor_date: date('An expected date, from which the others are counted.'),
  payee: nullable(Type.String({ description: 'Payee of matching transactions; null: any.' })),
  amount: amount('Expected amount in `currency`; positive is money out.'),
  to_base: Type.Number({
    format: 'double',
    description: "Amount in the book's primary currency, as of the last change of the item.",
  }),
  currency: reference(Currency, 'Currency of `amount`.'),
  plaid_account_id: nullable(id('Id of the synced account of matching transactions.')),
  manual_account_id: nullable(id('Id of the manual account of matching transactions.')),
};

const closed = { additionalProperties: false } as const;
const criteriaText = 'Which transactions match. Without an account, those of any account.';

const overrides = Type.Object(
  {
    payee: Type.Optional(Type.String({ description: 'Payee of linked transactions.' })),
    notes: Type.Optional(Type.String({ description: 'Notes of linked transactions.' })),
    category_id: Type.Optional(id('Id of the category of linked transactions.')),
  },
  { ...closed, description: 'What linked transactions show. Keys that are not set are absent.' },
);

const matches = Type.Object(
  {
    request_start_date: date('First day of the range.'),
    request_end_date: date('Last day of the range.'),
    expected_occurrence_dates: Type.Array(date('An expected date.'), {
      description: 'Dates in the range on which a transaction is expected, ascending.',
    }),
    found_transactions: Type.Array(
      Type.Object(
        {
          date: date('Date of the transaction.'),
          transaction_id: id('Id of the transaction.'),
        },
        closed,
      ),
      { description: 'Linked transactions in the range, by date.' },
    ),
    missing_transaction_dates: Type.Array(date('An expected date.'), {
      description: 'Expected dates in the range without a linked transaction close to them.',
    }),
  },
  { ...closed, description: 'Expected and found transactions of a range; null for suggestions.' },
);
export type RecurringMatches = Static<typeof matches>;

const description = nullable(Type.String({ description: 'Description of the item.' }));
const made = {
  created_by: id('Id of the user who created it.'),
  created_at: dateTime('When it was created.'),
  updated_at: dateTime('When it was last changed.'),
  source: word(sources, {
    description:
      'Origin.\n\n`manual`: a user. `transaction`: a transaction that a user converted. `system`: a suggestion.',
  }),
};

export const RecurringItem = object(
  'RecurringItem',
  'Transactions that are expected regularly, such as rent or a salary.',
  {
    id: id('Id of the recurring item.'),
    description,
    status: word(['suggested', 'reviewed'], {
      description:
        'Review status.\n\n`suggested`: found in the transactions. `reviewed`: approved; linked to new transactions.',
    }),
    transaction_criteria: Type.Object(what, { ...closed, description: criteriaText }),
    overrides,
    matches: nullable(matches),
    ...made,
  },
);
export type RecurringItem = Static<typeof RecurringItem>;

export const RecurringItemList = list('recurring_items', RecurringItem, 'Sorted by `id`.');

const statuses = ['suggested', 'reviewed', 'dismissed'] as const;

export const RecurringItemDetails = object(
  'RecurringItemDetails',
  'A recurring item as its user edits it.',
  {
    id: id('Id of the recurring item.'),
    description,
    status: word(statuses, {
      description: 'As in the recurring item; `dismissed`: hidden, and not suggested again.',
    }),
    transaction_criteria: Type.Object(
      { ...what, amount_tolerance: amount('Largest difference from `amount`.') },
      { ...closed, description: criteriaText },
    ),
    overrides,
    ...made,
  },
);
export type RecurringItemDetails = Static<typeof RecurringItemDetails>;

export const RecurringItemDetailsList = list(
  'recurring_items',
  RecurringItemDetails,
  'Sorted by `id`, dismissed items too.',
);

const day = (text: string) => Type.String({ format: 'date', description: text });
const recordId = (text: string) =>
  Type.Integer({ minimum: minId, maximum: maxId, description: text });
const text = (about: string) => Type.String({ pattern: '\\S', description: about });

/** Longest time between two occurrences, in units. */
const maxQuantity = 1000;

const criteriaInput = Type.Object(
  {
    granularity: what.granularity,
    quantity: Type.Integer({
      minimum: 1,
      maximum: maxQuantity,
      default: 1,
      description: 'Number of units between two occurrences.',
    }),
    anchor_date: day('An expected date, from which the others are counted.'),
    amount: amountInput('Expected amount; positive is money out.'),
    amount_tolerance: Type.Optional(
      amountInput('Largest difference from `amount`; 0 for a new item, unchanged otherwise.'),
    ),
    currency: Type.Optional(
      reference(Currency, 'By default the primary currency for a new item, unchanged otherwise.'),
    ),
    start_date: Type.Optional(nullable(day('First day on which transactions match.'))),
    end_date: Type.Optional(nullable(day('Last day on which transactions match.'))),
    payee: Type.Optional(nullable(text('Payee of matching transactions; null: any.'))),
    plaid_account_id: Type.Optional(nullable(recordId('Id of a synced account.'))),
    manual_account_id: Type.Optional(nullable(recordId('Id of a manual account.'))),
    to_base: ignored,
  },
  { ...closed, description: `${criteriaText} In an update it replaces all criteria.` },
);
export type CriteriaInput = Static<typeof criteriaInput>;

const overridesInput = Type.Object(
  {
    payee: Type.Optional(nullable(text('Payee that linked transactions show.'))),
    notes: Type.Optional(nullable(Type.String({ description: 'Notes that they show.' }))),
    category_id: Type.Optional(nullable(recordId('Id of a category, not of a group.'))),
  },
  { ...closed, description: 'What linked transactions show; in an update it replaces all.' },
);
export type OverridesInput = Static<typeof overridesInput>;

export const RecurringItemInsert = object('RecurringItemInsert', 'A new recurring item.', {
  description: Type.Optional(description),
  transaction_criteria: criteriaInput,
  overrides: Type.Optional(overridesInput),
});
export type RecurringItemInsert = Static<typeof RecurringItemInsert>;

export const RecurringItemUpdate = object('RecurringItemUpdate', 'Changes to a recurring item.', {
  description: Type.Optional(description),
  status: Type.Optional(
    word(statuses, {
      description: '`reviewed` accepts a suggestion, `dismissed` hides it.',
    }),
  ),
  transaction_criteria: Type.Optional(criteriaInput),
  overrides: Type.Optional(overridesInput),
  id: ignored,
  created_by: ignored,
  created_at: ignored,
  updated_at: ignored,
  source: ignored,
  matches: ignored,
});
export type RecurringItemUpdate = Static<typeof RecurringItemUpdate>;

export const RecurringItemDependents = object(
  'RecurringItemDependents',
  'The transactions that are linked to a recurring item. `force=true` deletes it nevertheless.',
  {
    recurring_item_id: id('Id of the recurring item.'),
    dependents: Type.Object(
      { transactions: Type.Integer({ minimum: 0, description: 'Number of transactions.' }) },
      { ...closed, description: 'Number of records by kind.' },
    ),
  },
);

export const RecurringItemPath = idPath('recurring item');

const range = {
  start_date: Type.Optional(
    day('First day of `matches`; only with `end_date`. By default the current month in UTC.'),
  ),
  end_date: Type.Optional(day('Last day of `matches`, at most ten years after `start_date`.')),
};

export const RecurringItemQuery = Type.Object(range, closed);
export const RecurringItemListQuery = Type.Object(
  {
    ...range,
    include_suggested: Type.Optional(
      Type.Boolean({ description: 'List suggestions, too; by default reviewed items only.' }),
    ),
  },
  closed,
);
export type RangeQuery = Static<typeof RecurringItemQuery>;
