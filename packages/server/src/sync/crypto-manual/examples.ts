import type { ManualCryptoAccount } from './schema.ts';

const wallet: ManualCryptoAccount = {
  id: 22,
  name: 'Paper wallet',
  display_name: null,
  institution_name: 'Safe at home',
  balance: '0.852341920145782301',
  symbol: 'btc',
  coingecko_id: 'bitcoin',
  to_base: 53_124.72,
  balance_as_of: '2026-02-25T14:22:10.000Z',
  exchange_rate_as_of: '2026-02-25T14:10:00.000Z',
  created_by_name: 'Ada Quill',
  created_at: '2025-11-12T20:14:32.000Z',
  updated_at: '2026-02-25T14:22:10.000Z',
};

/** Example bodies of manual crypto accounts; tests check each against its schema. */
export const manualCryptoExamples = {
  one: {
    wallet: { summary: 'A wallet with a price', value: wallet },
    unpriced: {
      summary: 'Without a price',
      value: { ...wallet, to_base: null, exchange_rate_as_of: null },
    },
  },
  list: { wallets: { summary: 'One wallet', value: { crypto_manual: [wallet] } } },
  insert: {
    least: {
      summary: 'Required properties',
      value: { name: 'Paper wallet', balance: '0.852341920145782301', symbol: 'btc' },
    },
  },
  update: {
    balance: { summary: 'Only the balance', value: { balance: '0.9' } },
    whole: { summary: 'A whole response, with another balance', value: { ...wallet, balance: 1 } },
  },
  unconfirmed: {
    history: {
      summary: 'It has a balance history',
      value: {
        message: 'Explicit confirmation required',
        errors: [
          {
            errMsg: 'This account has a balance history: set keep_history to true or false',
            crypto_manual_id: 22,
            has_balance_history: true,
            required_parameter: 'keep_history',
            allowed_values: [true, false],
          },
        ],
      },
    },
  },
};
