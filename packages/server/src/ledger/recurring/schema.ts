import { Type, type Static } from 'typebox';
import { amountInput } from '../../operations/amounts.ts';
import {
  amount,
  closed,
  count,
  Currency,
  date,
  dateTime,
  day,
  exampleOf,
  flag,
  id,
  idPath,
  ignoring,
  limit,
  list,
  nullable,
  object,
  only,
  optional,
  recordId,
  reference,
  text,
  word,
} from '../../operations/schema.ts';

const granularities = ['day', 'week', 'month', 'year'] as const;
const sources = ['manual', 'transaction', 'system'] as const;

const what = {
  start_date: nullable(date('First day on which transactions match; null: no first day.')),
  end_date: nullable(date('Last day on which transactions match; null: no last day.')),
  granularity: word(granularities, { description: 'Unit of the time between two occurrences.' }),
  quantity: Type.Integer({ minimum: 1, description: 'Number of units between two occurrences.' }),
  anchor_date: date('An expected date, from which the others are counted.'),
  payee: nullable(text('Payee of matching transactions; null: any.')),
  amount: amount('Expected amount in `currency`; positive is money out.'),
  to_base: Type.Number({
    format: 'double',
    description: "Amount in the book's primary currency, as of the last change of the item.",
  }),
  currency: reference(Currency, 'Currency of `amount`.'),
  plaid_account_id: nullable(id('Id of the synced account of matching transactions.')),
  manual_account_id: nullable(id('Id of the manual account of matching transactions.')),
};

const criteriaText = 'Which transactions match. Without an account, those of any account.';

const overrides = closed(
  {
    payee: optional(text('Payee of linked transactions.')),
    notes: optional(text('Notes of linked transactions.')),
    category_id: optional(id('Id of the category of linked transactions.')),
  },
  'What linked transactions show. Keys that are not set are absent.',
);

const matches = closed(
  {
    request_start_date: date('First day of the range.'),
    request_end_date: date('Last day of the range.'),
    expected_occurrence_dates: Type.Array(date('An expected date.'), {
      description: 'Dates in the range on which a transaction is expected, ascending.',
    }),
    found_transactions: Type.Array(
      closed({
        date: date('Date of the transaction.'),
        transaction_id: id('Id of the transaction.'),
      }),
      { description: 'Linked transactions in the range, by date.' },
    ),
    missing_transaction_dates: Type.Array(date('An expected date.'), {
      description: 'Expected dates in the range without a linked transaction close to them.',
    }),
  },
  'Expected and found transactions of a range; null for suggestions.',
);
export type RecurringMatches = Static<typeof matches>;

const description = nullable(text('Description of the item.'));
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
    transaction_criteria: closed(what, criteriaText),
    overrides,
    matches: nullable(matches),
    ...made,
  },
  {
    example: {
      id: 12,
      description: 'Flat in Harbour Street',
      status: 'reviewed',
      transaction_criteria: {
        start_date: null,
        end_date: null,
        granularity: 'month',
        quantity: 1,
        anchor_date: '2026-01-31',
        payee: 'HOMES LTD',
        amount: '950.0000',
        to_base: 950,
        currency: 'eur',
        plaid_account_id: null,
        manual_account_id: 3,
      },
      overrides: { payee: 'Rent', category_id: 8 },
      matches: {
        request_start_date: '2026-02-01',
        request_end_date: '2026-03-31',
        expected_occurrence_dates: ['2026-02-28', '2026-03-31'],
        found_transactions: [{ date: '2026-03-01', transaction_id: 5012 }],
        missing_transaction_dates: ['2026-03-31'],
      },
      created_by: 1,
      created_at: '2026-01-02T09:00:00.000Z',
      updated_at: '2026-01-02T09:00:00.000Z',
      source: 'manual',
    },
  },
);
export type RecurringItem = Static<typeof RecurringItem>;

export const RecurringItemList = list('recurring_items', RecurringItem, 'Sorted by `id`.');

const statuses = ['suggested', 'reviewed', 'dismissed'] as const;

const { transaction_criteria: exampleCriteria, ...rent } = exampleOf(RecurringItem);

export const RecurringItemDetails = object(
  'RecurringItemDetails',
  'A recurring item as its user edits it.',
  {
    id: id('Id of the recurring item.'),
    description,
    status: word(statuses, {
      description: 'As in the recurring item; `dismissed`: hidden, and not suggested again.',
    }),
    transaction_criteria: closed(
      { ...what, amount_tolerance: amount('Largest difference from `amount`.') },
      criteriaText,
    ),
    overrides,
    ...made,
  },
  {
    example: {
      ...only(rent, ['id', 'description', 'status', 'overrides']),
      ...only(rent, ['created_by', 'created_at', 'updated_at', 'source']),
      transaction_criteria: { ...exampleCriteria, amount_tolerance: '0.0000' },
    },
  },
);
export type RecurringItemDetails = Static<typeof RecurringItemDetails>;

export const RecurringItemDetailsList = list(
  'recurring_items',
  RecurringItemDetails,
  'Sorted by `id`, dismissed items too.',
);

const someText = (description: string) => Type.String({ pattern: '\\S', description });

/** Longest time between two occurrences, in units. */
const maxQuantity = 1000;

const criteriaInput = closed(
  {
    granularity: what.granularity,
    quantity: limit(maxQuantity, 1, 'Number of units between two occurrences.'),
    anchor_date: day('An expected date, from which the others are counted.'),
    amount: amountInput('Expected amount; positive is money out.'),
    amount_tolerance: optional(
      amountInput('Largest difference from `amount`; 0 for a new item, unchanged otherwise.'),
    ),
    currency: optional(
      reference(Currency, 'By default the primary currency for a new item, unchanged otherwise.'),
    ),
    start_date: optional(nullable(day('First day on which transactions match.'))),
    end_date: optional(nullable(day('Last day on which transactions match.'))),
    payee: optional(nullable(someText('Payee of matching transactions; null: any.'))),
    plaid_account_id: optional(nullable(recordId('Id of a synced account.'))),
    manual_account_id: optional(nullable(recordId('Id of a manual account.'))),
    ...ignoring('to_base'),
  },
  `${criteriaText} In an update it replaces all criteria.`,
);
export type CriteriaInput = Static<typeof criteriaInput>;

const overridesInput = closed(
  {
    payee: optional(nullable(someText('Payee that linked transactions show.'))),
    notes: optional(nullable(text('Notes that they show.'))),
    category_id: optional(nullable(recordId('Id of a category, not of a group.'))),
  },
  'What linked transactions show; in an update it replaces all.',
);
export type OverridesInput = Static<typeof overridesInput>;

export const RecurringItemInsert = object(
  'RecurringItemInsert',
  'A new recurring item.',
  {
    description: optional(description),
    transaction_criteria: criteriaInput,
    overrides: optional(overridesInput),
  },
  {
    example: {
      transaction_criteria: only(exampleCriteria, [
        'granularity',
        'quantity',
        'anchor_date',
        'payee',
        'amount',
        'manual_account_id',
      ]),
      overrides: rent.overrides,
    },
  },
);
export type RecurringItemInsert = Static<typeof RecurringItemInsert>;

export const RecurringItemUpdate = object('RecurringItemUpdate', 'Changes to a recurring item.', {
  description: optional(description),
  status: optional(
    word(statuses, {
      description: '`reviewed` accepts a suggestion, `dismissed` hides it.',
    }),
  ),
  transaction_criteria: optional(criteriaInput),
  overrides: optional(overridesInput),
  ...ignoring('id', 'created_by', 'created_at', 'updated_at', 'source', 'matches'),
});
export type RecurringItemUpdate = Static<typeof RecurringItemUpdate>;

export const RecurringItemDependents = object(
  'RecurringItemDependents',
  'The transactions that are linked to a recurring item. `force=true` deletes it nevertheless.',
  {
    recurring_item_id: id('Id of the recurring item.'),
    dependents: closed(
      { transactions: count('Number of transactions.') },
      'Number of records by kind.',
    ),
  },
  { example: { recurring_item_id: 12, dependents: { transactions: 24 } } },
);

export const RecurringItemPath = idPath('recurring item');

const range = {
  start_date: optional(
    day('First day of `matches`; only with `end_date`. By default the current month in UTC.'),
  ),
  end_date: optional(day('Last day of `matches`, at most ten years after `start_date`.')),
};

export const RecurringItemQuery = closed(range);
export const RecurringItemListQuery = closed({
  ...range,
  include_suggested: optional(flag('List suggestions, too; by default reviewed items only.')),
});
export type RangeQuery = Static<typeof RecurringItemQuery>;

/** Examples of updates. */
export const recurringUpdates = {
  accept: { summary: 'Accept a suggestion', value: { status: 'reviewed' } },
  dismiss: { summary: 'Dismiss a suggestion', value: { status: 'dismissed' } },
  raise: {
    summary: 'Expect another amount',
    value: {
      transaction_criteria: {
        ...exampleOf(RecurringItemInsert).transaction_criteria,
        amount: '980',
      },
    },
  },
};
