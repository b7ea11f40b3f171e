import { Type } from 'typebox';
import type { Static } from 'typebox';
import {
  amount,
  closed,
  Currency,
  date,
  day,
  listOf,
  nullable,
  object,
  optional,
  reference,
  someId,
  word,
} from '../../operations/schema.ts';

/** Days in one response. */
export const mostPoints = 1200;

/** The query of GET /coffer/net_worth. */
export const NetWorthQuery = closed({
  start_date: optional(
    day(
      'First day, inclusive; not later than `end_date`. Without it, the first day of which something is known, but at ' +
        `most ${mostPoints} days or months before the last.`,
    ),
  ),
  end_date: optional(day('Last day, inclusive; by default today, in UTC.')),
  by: word(['month', 'day'], {
    default: 'month',
    description:
      '`month`: the last day of each month, and `end_date`. `day`: each day. ' +
      `The range has at most ${mostPoints} of them.`,
  }),
});
export type NetWorthQuery = Static<typeof NetWorthQuery>;

const WorthDay = object(
  'WorthDay',
  'What the accounts have at the end of a day, in the primary currency.',
  {
    date: date('The day.'),
    assets: amount('What accounts have that are no debts.'),
    debts: amount(
      'What is owed, positive: accounts of type `credit`, `loan` and `other liability`.',
    ),
    net: amount('`assets` less `debts`.'),
  },
  { example: { date: '2026-05-31', assets: '1129.4900', debts: '80.0000', net: '1049.4900' } },
);

const AccountWorth = object(
  'AccountWorth',
  'What an account has at the end of each of the days.',
  {
    kind: word(['manual', 'plaid'], { description: 'Kind of the account.' }),
    id: someId('Id of the account.'),
    balances: Type.Array(nullable(amount('In the primary currency; debts are negative.')), {
      description:
        'One for each of `days`, in their order. Null before the first day of which something is known, and after ' +
        'the account was closed.',
    }),
  },
  { example: { kind: 'manual', id: 3, balances: ['1129.4900'] } },
);

export const NetWorth = object('NetWorth', 'What the accounts of a book have, by day.', {
  currency: reference(Currency, 'The primary currency of the book, in which all amounts are.'),
  days: listOf(WorthDay, 'Ascending.'),
  accounts: listOf(AccountWorth, 'The accounts that have a balance on one of the days.'),
});
export type NetWorth = Static<typeof NetWorth>;
