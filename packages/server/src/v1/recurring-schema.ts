import { Type, type Static } from 'typebox';
import {
  amount,
  date,
  exampleOf,
  id,
  listOf,
  nullable,
  object,
  only,
  optional,
  text,
  word,
} from '../operations/schema.ts';
import { bare, debitAsNegative } from './refusals.ts';
import { flags } from '../ledger/categories/schema.ts';
import { RecurringItem } from '../ledger/recurring/schema.ts';

const { transaction_criteria, created_at, source, description, ...own } = RecurringItem.properties;
const criteria = transaction_criteria.properties;
const { start_date, end_date, plaid_account_id, to_base } = criteria;
const dates = { start_date, end_date };
const accounts = { plaid_account_id, asset_id: criteria.manual_account_id };
const cadence = text('Rhythm in words, such as `monthly`.');
const payee = text('Payee that linked transactions show, else that of matching ones.');
const original_name = nullable(text('Payee of matching transactions; null if a user made it.'));
const category_id = nullable(id('Id of the category of linked transactions.'));
const money = { amount: amount('Amount in `currency`.'), currency: text('Code of the currency.') };

const { id: itemId, transaction_criteria: rent, ...item } = exampleOf(RecurringItem);
const shownRent = {
  id: itemId,
  ...only(rent, ['start_date', 'end_date', 'plaid_account_id', 'amount', 'currency']),
  ...only(item, ['created_at', 'description', 'source']),
  asset_id: 3,
  payee: 'Rent',
  original_name: null,
  category_id: 8,
  cadence: 'monthly',
};

export const RecurringExpenseV1 = object(
  'RecurringExpenseV1',
  'An expected transaction.',
  {
    id: own.id,
    ...dates,
    cadence,
    payee,
    ...money,
    created_at,
    description,
    billing_date: date('The date on which it is expected.'),
    type: word(['cleared', 'suggested'], {
      description: '`cleared`: approved. `suggested`: found in the transactions.',
    }),
    original_name,
    source,
    ...accounts,
    category_id,
  },
  { example: { ...shownRent, billing_date: '2026-03-31', type: 'cleared' } },
);
type RecurringExpenseV1 = Static<typeof RecurringExpenseV1>;

export const RecurringExpenseListV1 = object('RecurringExpenseListV1', 'Those of one month.', {
  recurring_expenses: listOf(RecurringExpenseV1, 'Sorted by item and date.'),
});

export const RecurringMatchV1 = object(
  'RecurringMatchV1',
  'A linked transaction.',
  {
    id: id('Id of the transaction.'),
    date: date('Date of the transaction.'),
    ...money,
    payee: text('Payee of the transaction.'),
    category_id,
    recurring_id: own.id,
    to_base,
  },
  {
    example: {
      id: 5012,
      date: '2026-03-01',
      amount: rent.amount,
      currency: rent.currency,
      payee: 'Rent',
      category_id: 8,
      recurring_id: itemId,
      to_base: rent.to_base,
    },
  },
);
type RecurringMatchV1 = Static<typeof RecurringMatchV1>;

const matches = listOf(RecurringMatchV1, 'Linked transactions.');

export const RecurringItemV1 = object(
  'RecurringItemV1',
  'A recurring item.',
  {
    id: own.id,
    ...dates,
    payee,
    currency: money.currency,
    created_by: own.created_by,
    created_at,
    updated_at: own.updated_at,
    billing_date: criteria.anchor_date,
    original_name,
    description,
    ...accounts,
    source,
    amount: money.amount,
    notes: nullable(text('Notes of linked transactions.')),
    category_id,
    category_group_id: nullable(id('Id of the group of the category.')),
    is_income: flags.is_income,
    exclude_from_totals: flags.exclude_from_totals,
    cadence,
    granularity: criteria.granularity,
    quantity: criteria.quantity,
    occurrences: Type.Unsafe<Record<string, RecurringMatchV1[]>>({
      type: 'object',
      additionalProperties: matches,
      description:
        'By expected date: those of the range, the last one before and the first one after.',
    }),
    transactions_within_range: matches,
    missing_dates_within_range: Type.Array(date('An expected date.'), {
      description: 'Expected dates of the range without a linked transaction.',
    }),
    date: date('Today.'),
    to_base,
  },
  {
    example: {
      ...shownRent,
      ...only(item, ['created_by', 'updated_at']),
      ...only(rent, ['granularity', 'quantity', 'to_base']),
      billing_date: rent.anchor_date,
      notes: null,
      category_group_id: null,
      is_income: false,
      exclude_from_totals: false,
      occurrences: { '2026-02-28': [], '2026-03-31': [], '2026-04-30': [] },
      transactions_within_range: [exampleOf(RecurringMatchV1)],
      missing_dates_within_range: ['2026-03-31'],
      date: '2026-03-07',
    },
  },
);
export type RecurringItemV1 = Static<typeof RecurringItemV1>;

export const RecurringItemListV1 = bare(
  'RecurringItemListV1',
  listOf(RecurringItemV1, 'The approved items, sorted by `id`.'),
);

export const RecurringExpenseQueryV1 = Type.Object({
  start_date: optional(text('A day of the month; by default the current month in UTC.')),
  debit_as_negative: debitAsNegative,
});

export const RecurringItemQueryV1 = Type.Object({
  start_date: optional(text('First day; by default that of the current month in UTC.')),
  end_date: optional(
    text('Last day; needs `start_date`. By default the end of the current month.'),
  ),
  debit_as_negative: debitAsNegative,
});
