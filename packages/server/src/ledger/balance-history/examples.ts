import type { AccountHistory, BalanceHistoryUpdate, HistoricalBalance } from './schema.ts';

const january: HistoricalBalance = {
  type: 'historical',
  id: 11,
  month: '2026-01',
  balance: '1480.0000',
  currency: 'usd',
  to_base: 1480,
  crypto_balance: null,
};
const savings: AccountHistory = {
  source: { type: 'manual', manual_account_id: 7 },
  balances: [
    january,
    {
      type: 'current',
      month: '2026-02',
      balance: '1500.2500',
      currency: 'usd',
      to_base: 1500.25,
      crypto_balance: null,
    },
  ],
};
const bitcoin: AccountHistory = {
  source: { type: 'crypto_synced', crypto_synced_id: 2, symbol: 'btc' },
  balances: [
    {
      ...january,
      id: 12,
      balance: '650.0000',
      to_base: 650,
      crypto_balance: `0.01${'0'.repeat(16)}`,
    },
  ],
};
const details = {
  name: 'Old Savings',
  institution_name: 'First Bank',
  display_name: null,
  account_type: 'cash',
  subtype: 'savings',
  mask: null,
};
const deleted = { type: 'deleted', deleted_account_id: 5, ...details, symbol: null } as const;
const eth = { type: 'crypto_manual', crypto_manual_id: 4, symbol: 'eth' } as const;
const all: AccountHistory[] = [
  savings,
  { source: { type: 'plaid', plaid_account_id: 3 }, balances: [{ ...january, id: 13 }] },
  { source: eth, balances: [{ ...january, id: 14 }] },
  bitcoin,
  { source: deleted, balances: [{ ...january, id: 15 }] },
];
const update: BalanceHistoryUpdate = {
  balances: [
    { month: '2025-12', balance: '1400' },
    { month: '2026-01', balance: 1480 },
  ],
};

/** Example bodies; tests check each against its schema. */
export const historyExamples = {
  list: {
    all: {
      summary: 'A book with five kinds of accounts',
      value: { balance_history: all },
    },
  },
  one: {
    written: {
      summary: 'The entries of the request',
      value: { ...savings, balances: [january] } satisfies AccountHistory,
    },
  },
  update: { months: { summary: 'Two months', value: update } },
  details: { savings: { summary: 'A savings account', value: details } },
  detailsUpdate: { name: { summary: 'Another name', value: { name: 'Old Savings' } } },
};
