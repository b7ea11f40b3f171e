import type { ManualAccount, ManualAccountInsert } from './schema.ts';

const savings: ManualAccount = {
  id: 7,
  name: 'Savings',
  institution_name: 'First Bank',
  display_name: null,
  type: 'cash',
  subtype: 'savings',
  balance: '1500.2500',
  currency: 'eur',
  to_base: 1650.275,
  balance_as_of: '2026-03-01T00:00:00.000Z',
  status: 'active',
  closed_on: null,
  external_id: null,
  custom_metadata: { branch: 12 },
  exclude_from_transactions: false,
  created_by_name: 'Ada',
  created_at: '2026-01-02T09:00:00.000Z',
  updated_at: '2026-03-01T08:30:00.000Z',
};
const wallet: ManualAccountInsert = { name: 'Wallet', type: 'cash', balance: '80.5' };

/** Example bodies; tests check each against its schema. */
export const accountExamples = {
  one: { savings: { summary: 'A savings account', value: savings } },
  list: {
    accounts: { summary: 'A book with one account', value: { manual_accounts: [savings] } },
  },
  insert: {
    wallet: { summary: 'Only what is required', value: wallet },
    loan: {
      summary: 'A loan that was paid back',
      value: {
        name: 'Car',
        type: 'loan',
        balance: 0,
        balance_as_of: '2026-02-28',
        display_name: 'Car loan',
        status: 'closed',
        closed_on: '2026-02-28',
      },
    },
  },
  update: {
    balance: { summary: 'A new balance as of now', value: { balance: 1480 } },
    whole: { summary: 'A whole account, closed', value: { ...savings, status: 'closed' } },
  },
};
