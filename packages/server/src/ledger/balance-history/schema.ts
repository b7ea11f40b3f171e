import { Type, type Static } from 'typebox';
import { amountInput } from '../../operations/amounts.ts';
import { cryptoDecimals, maxCryptoSymbolLength } from '../../operations/limits.ts';
import {
  amount,
  closed,
  Currency,
  exampleOf,
  id,
  idPath,
  ignoring,
  listOf,
  nullable,
  number,
  object,
  optional,
  partial,
  reference,
  someId,
  text,
  textUpTo,
  word,
} from '../../operations/schema.ts';
import type { AccountKind } from '../accounts/balance-source.ts';

export type SourceKind = AccountKind | 'deleted';

/** A calendar month, `YYYY-MM`, years 0001 to 9999. */
export const monthPattern = '^(?!0000)\\d{4}-(0[1-9]|1[0-2])$';

const name = (description: string) => nullable(text(description));
const symbol = textUpTo(maxCryptoSymbolLength, 'Symbol of the asset in lower case, such as `btc`.');

/** An object of one kind of account: `type`, and the id under its own name. */
function source<const T extends string>(type: T) {
  return word([type], { description: 'Kind of account.' });
}

const ManualSource = object(
  'ManualSource',
  'The history of a manual account.',
  {
    type: source('manual'),
    manual_account_id: id('Id of the manual account.'),
  },
  { example: { type: 'manual', manual_account_id: 7 } },
);

const PlaidSource = object(
  'PlaidSource',
  'The history of a synced bank account.',
  {
    type: source('plaid'),
    plaid_account_id: id('Id of the plaid account.'),
  },
  { example: { type: 'plaid', plaid_account_id: 3 } },
);

const ManualCryptoSource = object(
  'ManualCryptoSource',
  'The history of manual crypto.',
  {
    type: source('crypto_manual'),
    crypto_manual_id: id('Id of the manual crypto account.'),
    symbol: optional(nullable(symbol)),
  },
  { example: { type: 'crypto_manual', crypto_manual_id: 4, symbol: 'eth' } },
);

const SyncedCryptoSource = object(
  'SyncedCryptoSource',
  'The history of one asset of a synced crypto account.',
  {
    type: source('crypto_synced'),
    crypto_synced_id: id('Id of the synced crypto account.'),
    symbol,
  },
  { example: { type: 'crypto_synced', crypto_synced_id: 2, symbol: 'btc' } },
);

const details = {
  name: name('Name of the account.'),
  institution_name: name('Name of the institution that held it.'),
  display_name: name('Name to show.'),
  account_type: name('Kind of account.'),
  subtype: name('A more precise kind.'),
  mask: name('Last digits of the account number.'),
};

const exampleDetails = {
  name: 'Old Savings',
  institution_name: 'First Bank',
  display_name: null,
  account_type: 'cash',
  subtype: 'savings',
  mask: null,
};

const DeletedSource = object(
  'DeletedSource',
  'The history of an account that was deleted.',
  {
    type: source('deleted'),
    deleted_account_id: id('Id of the history; not that of the former account.'),
    ...details,
    symbol: nullable(symbol),
  },
  { example: { type: 'deleted', deleted_account_id: 5, ...exampleDetails, symbol: null } },
);

const entry = {
  month: Type.String({ pattern: monthPattern, description: 'Calendar month, `YYYY-MM`.' }),
  balance: amount('Balance at the end of the month, in `currency`.'),
  currency: reference(Currency, 'Currency of the balance.'),
  to_base: number("The balance in the book's primary currency; 0 without a rate."),
  crypto_balance: nullable(
    Type.String({
      pattern: `^-?(0|[1-9]\\d*)\\.\\d{${cryptoDecimals}}$`,
      description: 'Quantity of the asset; null for other accounts, or if unknown.',
    }),
  ),
};

const january = {
  month: '2026-01',
  balance: '1480.0000',
  currency: 'usd',
  to_base: 1480,
  crypto_balance: null,
} as const;

export const HistoricalBalance = object(
  'HistoricalBalance',
  'The balance of a past month.',
  {
    type: source('historical'),
    id: id('Id of the entry.'),
    ...entry,
  },
  { example: { type: 'historical', id: 11, ...january } },
);
export type HistoricalBalance = Static<typeof HistoricalBalance>;

export const CurrentBalance = object(
  'CurrentBalance',
  'The present balance, in the current month. It is not stored, so it has no id.',
  { type: source('current'), ...entry },
  { example: { type: 'current', ...january, month: '2026-02' } },
);
export type CurrentBalance = Static<typeof CurrentBalance>;

const sources = {
  manual: reference(ManualSource),
  plaid: reference(PlaidSource),
  crypto_manual: reference(ManualCryptoSource),
  crypto_synced: reference(SyncedCryptoSource),
  deleted: reference(DeletedSource),
};
const balances = {
  historical: reference(HistoricalBalance),
  current: reference(CurrentBalance),
};

export const AccountHistory = object(
  'AccountHistory',
  'Balances of one account by month.',
  {
    source: Type.Union(Object.values(sources) as [(typeof sources)[keyof typeof sources]], {
      description: 'The account; `type` says which keys it has.',
    }),
    balances: Type.Array(Type.Union([balances.historical, balances.current]), {
      description: 'Sorted by `month`; months without a balance are left out.',
    }),
  },
  {
    example: {
      source: exampleOf(ManualSource),
      balances: [exampleOf(HistoricalBalance), exampleOf(CurrentBalance)],
    },
  },
);
export type AccountHistory = Static<typeof AccountHistory>;

export const BalanceHistoryList = object('BalanceHistoryListResponse', 'Balances by account.', {
  balance_history: listOf(AccountHistory, 'Sorted by kind of account, its id and the symbol.'),
});

const month = (description: string) =>
  optional(Type.String({ pattern: monthPattern, description }));

/** The months of a list. */
export const MonthQuery = closed({
  start_month: month('First month, `YYYY-MM`, inclusive; needs `end_month`.'),
  end_month: month('Last month, inclusive, not in the future; needs `start_month`.'),
});
export type MonthQuery = Static<typeof MonthQuery>;

const accountId = someId('Id of the account, or of the history of a deleted one.');

/** The path of the history of an account. */
export const AccountHistoryPath = closed({
  account_type: word(['manual', 'plaid', 'crypto_manual', 'deleted'], {
    description: 'Kind of account.',
  }),
  account_id: accountId,
});

/** The path of the history of one asset of a synced crypto account. */
export const SyncedHistoryPath = closed({
  account_id: accountId,
  symbol: textUpTo(maxCryptoSymbolLength, 'Symbol of an asset, in any letter case.'),
});
export const DeletedAccountPath = closed({ account_id: accountId });
export const HistoryEntryPath = idPath('balance history entry');

/** Most months in one request that writes several, inclusive. */
const maxMonths = 500;

export const BalanceHistoryEntryUpdate = object(
  'BalanceHistoryEntryUpdate',
  'A past balance.',
  {
    month: text('A past month, `YYYY-MM`, once in a request.'),
    balance: amountInput('Balance at the end of the month, with up to four decimals.'),
    currency: optional(
      reference(
        Currency,
        'By default that of the manual or plaid account, otherwise the primary currency of the book.',
      ),
    ),
    symbol: optional(
      nullable(
        textUpTo(
          maxCryptoSymbolLength,
          'Symbol of the asset of a crypto account. It has no effect.',
        ),
      ),
    ),
    crypto_balance: optional(
      nullable(
        Type.String({
          pattern: '^-?\\d{1,18}(\\.\\d{1,18})?$',
          description: 'Quantity of the asset, with up to 18 decimals; not for other accounts.',
        }),
      ),
    ),
    ...ignoring('id', 'to_base'),
  },
  { example: { month: '2026-01', balance: 1480 } },
);
export type BalanceHistoryEntryUpdate = Static<typeof BalanceHistoryEntryUpdate>;

export const BalanceHistoryUpdate = object('BalanceHistoryUpdate', 'Balances of past months.', {
  balances: Type.Array(reference(BalanceHistoryEntryUpdate), {
    minItems: 1,
    maxItems: maxMonths,
    description: 'Entries to create or replace.',
  }),
});
export type BalanceHistoryUpdate = Static<typeof BalanceHistoryUpdate>;

export const DeletedAccountDetails = object(
  'DeletedAccountDetails',
  'What is known of an account that was deleted.',
  details,
  { example: exampleDetails },
);
export type DeletedAccountDetails = Static<typeof DeletedAccountDetails>;
export const DeletedAccountUpdate = object(
  'DeletedAccountUpdate',
  'Changes to what is known of an account that was deleted.',
  partial(details),
  { example: { name: 'Old Savings' } },
);
export type DeletedAccountUpdate = Static<typeof DeletedAccountUpdate>;
