import { Type, type Static } from 'typebox';
import {
  amount,
  currencyCode,
  date,
  dateTime,
  flag,
  id,
  idPath,
  list,
  nullable,
  number,
  object,
  only,
  text,
  word,
} from '../../operations/schema.ts';

const statuses = [
  'active',
  'inactive',
  'closed',
  'deactivated',
  'not found',
  'not supported',
  'relink',
  'syncing',
  'revoked',
  'error',
] as const;

export const PlaidAccount = object(
  'PlaidAccount',
  'An account that a connection reads.',
  {
    id: id('Id of the account.'),
    plaid_item_id: nullable(
      Type.String({ maxLength: 255, description: 'Id of the connection that it belongs to.' }),
    ),
    date_linked: date('When the account was first linked.'),
    linked_by_name: text('Name of the user who linked the account.'),
    name: text('Name of the account at the institution.'),
    display_name: nullable(text('Name to show; null or empty: `institution_name` and `name`.')),
    type: text('Kind of account, such as `credit`.'),
    subtype: text('A more precise kind, such as `checking`.'),
    mask: text('Last digits of the account number.'),
    institution_name: text('Name of the institution that holds it.'),
    status: word(statuses, {
      description:
        'State of the connection.\n\n' +
        '`active`: read regularly. `inactive`, `deactivated`: not read. `closed`: the account is closed. ' +
        '`syncing`: not read yet. `relink`, `error`: the user must renew the connection. ' +
        '`revoked`, `not found`, `not supported`: it can no longer be read.',
    }),
    allow_transaction_modifications: flag(
      'Whether amounts and accounts of its transactions may be changed.',
    ),
    limit: nullable(number('Credit limit in `currency`.')),
    balance: amount('Balance at the last reading, in `currency`.'),
    currency: currencyCode('Lower-case currency code of the balance.'),
    to_base: number("The balance in the book's primary currency; 0 without a rate."),
    balance_last_update: nullable(dateTime('When the balance was read.')),
    import_start_date: nullable(date('Earlier transactions are not imported.')),
    last_import: nullable(dateTime('When new transactions were last imported.')),
    last_fetch: nullable(dateTime('When the account was last read.')),
    plaid_last_successful_update: nullable(dateTime('When the institution last responded.')),
  },
  {
    example: {
      id: 3,
      plaid_item_id: 'item-1',
      date_linked: '2026-01-02',
      linked_by_name: 'Ada',
      name: 'Everyday Card',
      display_name: 'Card',
      type: 'credit',
      subtype: 'credit card',
      mask: '4321',
      institution_name: 'First Bank',
      status: 'active',
      allow_transaction_modifications: true,
      limit: 2500,
      balance: '310.4000',
      currency: 'usd',
      to_base: 310.4,
      balance_last_update: '2026-03-14T06:00:00.000Z',
      import_start_date: null,
      last_import: '2026-03-14T06:00:00.000Z',
      last_fetch: '2026-03-15T06:00:00.000Z',
      plaid_last_successful_update: '2026-03-15T06:00:00.000Z',
    },
  },
);
export type PlaidAccount = Static<typeof PlaidAccount>;

export const PlaidAccountList = list('plaid_accounts', PlaidAccount, 'Sorted by `id`.');
export const PlaidAccountUpdate = object(
  'PlaidAccountUpdate',
  'Changes to a synced account. The rest comes from its bank.',
  only(PlaidAccount.properties, ['allow_transaction_modifications']),
  { example: { allow_transaction_modifications: false } },
);
export const PlaidAccountPath = idPath('plaid account');
