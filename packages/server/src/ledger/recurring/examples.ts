import type { RecurringItem, RecurringItemDetails } from './schema.ts';

const rent: RecurringItem = {
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
};
const { id, description, overrides, created_by, created_at, updated_at, source } = rent;
const criteria = rent.transaction_criteria;
const details: RecurringItemDetails = {
  id,
  description,
  status: 'reviewed',
  overrides,
  created_by,
  created_at,
  updated_at,
  source,
  transaction_criteria: { ...criteria, amount_tolerance: '0.0000' },
};
const { granularity, quantity, anchor_date, payee, amount, manual_account_id } = criteria;
const body = {
  transaction_criteria: {
    granularity,
    quantity,
    anchor_date,
    payee,
    amount,
    manual_account_id,
  },
  overrides,
};

/** Example bodies; tests check each against its schema. */
export const recurringExamples = {
  one: { rent: { summary: 'A monthly rent', value: rent } },
  list: { rent: { summary: 'A book with one item', value: { recurring_items: [rent] } } },
  details: { rent: { summary: 'A monthly rent', value: details } },
  detailsList: { rent: { summary: 'A book with one item', value: { recurring_items: [details] } } },
  insert: { rent: { summary: 'A monthly rent', value: body } },
  update: {
    accept: { summary: 'Accept a suggestion', value: { status: 'reviewed' } },
    dismiss: { summary: 'Dismiss a suggestion', value: { status: 'dismissed' } },
    raise: {
      summary: 'Expect another amount',
      value: { transaction_criteria: { ...body.transaction_criteria, amount: '980' } },
    },
  },
  dependents: {
    linked: {
      summary: 'Transactions are linked to the item',
      value: { recurring_item_id: 12, dependents: { transactions: 24 } },
    },
  },
};
