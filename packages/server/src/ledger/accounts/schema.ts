import { Type, type Static } from 'typebox';
import {
  maxAccountNameLength,
  maxCustomMetadataLength,
  maxExternalIdLength,
} from '../../operations/limits.ts';
import { amountInput } from '../../operations/amounts.ts';
import {
  amount,
  anyObject,
  closed,
  Currency,
  currencyCode,
  date,
  dateTime,
  exampleOf,
  flag,
  id,
  idPath,
  ignoring,
  list,
  notBlank,
  nullable,
  number,
  object,
  partial,
  reference,
  text,
  textUpTo,
  word,
} from '../../operations/schema.ts';

/** The kinds of manual accounts. */
export const accountTypes = [
  'cash',
  'credit',
  'cryptocurrency',
  'employee compensation',
  'investment',
  'loan',
  'other liability',
  'other asset',
  'real estate',
  'vehicle',
] as const;
const statuses = ['active', 'closed'] as const;

const name = notBlank(maxAccountNameLength, 'Name of the account.');
const type = word(accountTypes, {
  description: 'Kind of account. `credit`, `loan` and `other liability` have what the user owes.',
});
const status = word(statuses, { description: 'Whether the account is in use.' });
const institution = nullable(textUpTo(50, 'Name of the institution that holds the account.'));
const subtype = nullable(textUpTo(100, 'A more precise kind, in any words.'));
const externalId = nullable(
  Type.String({ maxLength: maxExternalIdLength, description: 'Id in another system.' }),
);
const excluded = flag('Whether screens do not offer the account for new transactions.');

export const ManualAccount = object(
  'ManualAccount',
  'An account whose balance the user enters.',
  {
    id: id('Id of the account.'),
    name,
    institution_name: institution,
    display_name: nullable(text('Name to show; null: `institution_name` and `name`.')),
    type,
    subtype,
    balance: amount('Current balance, in `currency`.'),
    currency: currencyCode('Lower-case currency code of the balance.'),
    to_base: number("The balance in the book's primary currency; 0 without a rate."),
    balance_as_of: dateTime('When the balance was valid.'),
    status,
    closed_on: nullable(date('When the account was closed; null while it is active.')),
    external_id: externalId,
    custom_metadata: nullable(anyObject('An object of any shape, stored unchanged.')),
    exclude_from_transactions: excluded,
    created_by_name: text('Name of the user who created the account.'),
    created_at: dateTime('When it was created.'),
    updated_at: dateTime('When it was last changed.'),
  },
  {
    example: {
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
    },
  },
);
export type ManualAccount = Static<typeof ManualAccount>;

export const ManualAccountList = list('manual_accounts', ManualAccount, 'Sorted by `id`.');
export const ManualAccountPath = idPath('manual account');

const dateText = Type.String({ format: 'date' });
const instant = Type.String({ format: 'date-time' });
const properties = {
  institution_name: institution,
  display_name: nullable(
    text('Unique among the names that accounts are shown by, in any letter case.'),
  ),
  subtype,
  balance_as_of: Type.Union([instant, dateText], {
    description: 'When the balance is valid; by default now. Without `balance` it has no effect.',
  }),
  currency: reference(Currency, 'Currency of the balance.'),
  status,
  closed_on: Type.Union([instant, nullable(dateText)], {
    description: 'Only for a closed account: by default today.',
  }),
  external_id: externalId,
  custom_metadata: nullable(
    anyObject(`An object of at most ${maxCustomMetadataLength} characters; null removes it.`),
  ),
  exclude_from_transactions: excluded,
};
const balance = amountInput('Balance with up to four decimals.');
export const ManualAccountInsert = object(
  'ManualAccountInsert',
  'A new manual account.',
  {
    name,
    type,
    balance,
    ...partial(properties),
  },
  { example: { name: 'Wallet', type: 'cash', balance: '80.5' } },
);
export type ManualAccountInsert = Static<typeof ManualAccountInsert>;

export const ManualAccountUpdate = object('ManualAccountUpdate', 'Changes to a manual account.', {
  ...partial({ name, type, balance, ...properties }),
  ...ignoring('id', 'to_base', 'created_by_name', 'created_at', 'updated_at'),
});
export type ManualAccountUpdate = Static<typeof ManualAccountUpdate>;

/** The query of DELETE /v2/manual_accounts/{id}. */
export const DeleteAccountQuery = closed({
  delete_items: flag('Also delete its transactions, rules and recurring items.', false),
  delete_balance_history: flag('Also delete its balance history, which is otherwise kept.', false),
});

/** Examples of bodies. */
export const accountExamples = {
  insert: {
    wallet: { summary: 'Only what is required', value: exampleOf(ManualAccountInsert) },
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
    whole: {
      summary: 'A whole account, closed',
      value: { ...exampleOf(ManualAccount), status: 'closed' },
    },
  },
};
