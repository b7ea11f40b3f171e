import { Transaction } from '../schema.ts';
import { Type, type Static } from 'typebox';
import {
  amount,
  count,
  date,
  exampleOf,
  flag,
  id,
  listOf,
  nullable,
  object,
  optional,
  text,
} from '../../../operations/schema.ts';

const counted = { count: count('Number of transactions.') };
const total = amount('Sum in the primary currency of the book; money out is positive.');
const month = Type.String({ pattern: '^\\d{4}-\\d{2}$', description: 'Month, `YYYY-MM`.' });

/** The response of GET /coffer/transactions: one page. */
export const TransactionSelection = object(
  'TransactionSelection',
  'A page of the transactions that pass the filters.',
  {
    transactions: listOf(
      Transaction,
      'The transactions in the requested order; empty past the last match.',
    ),
    has_more: flag('Whether more transactions match after this page.'),
    total: optional(count('Number of transactions that match; absent with `as_of`.')),
  },
  { example: { transactions: [exampleOf(Transaction)], has_more: true, total: 41 } },
);
export type TransactionSelection = Static<typeof TransactionSelection>;

/** The matching transactions of a month. */
export const TransactionMonth = object(
  'TransactionMonth',
  'The transactions of a month.',
  {
    month,
    ...counted,
    total,
  },
  { example: { month: '2026-03', count: 2, total: '-2832.6000' } },
);
export type TransactionMonth = Static<typeof TransactionMonth>;

/** The response of GET /coffer/transactions/months. */
export const TransactionMonths = object(
  'TransactionMonths',
  'How many transactions pass the filters, and their sum.',
  {
    months: listOf(TransactionMonth, 'The months that have such transactions, newest first.'),
    ...counted,
    total,
  },
  { example: { months: [exampleOf(TransactionMonth)], count: 2, total: '-2832.6000' } },
);
export type TransactionMonths = Static<typeof TransactionMonths>;

const dividedBy = (name: string) => `only if the sums are divided by \`${name}\``;

/** The sum of the transactions of a month, a category and an account, as far as sums are divided by them. */
export const TransactionSum = object(
  'TransactionSum',
  'A sum of transactions.',
  {
    month: optional({ ...month, description: `Month, \`YYYY-MM\`; ${dividedBy('month')}.` }),
    category_id: optional(
      nullable(id(`Id of the category; null for none; ${dividedBy('category')}.`)),
    ),
    manual_account_id: optional(
      nullable(id(`Id of the manual account; null for none; ${dividedBy('account')}.`)),
    ),
    plaid_account_id: optional(
      nullable(id(`Id of the synced account; null for none; ${dividedBy('account')}.`)),
    ),
    ...counted,
    total,
  },
  { example: { month: '2026-03', category_id: 12, count: 2, total: '-2832.6000' } },
);
export type TransactionSum = Static<typeof TransactionSum>;

/** The response of GET /coffer/sums. */
export const TransactionSums = object('TransactionSums', 'Sums of transactions.', {
  sums: listOf(
    TransactionSum,
    'The sums, by month (oldest first), category and account. Without transactions there is none.',
  ),
});
export type TransactionSums = Static<typeof TransactionSums>;

/** A payee of the book's transactions. */
export const Payee = object(
  'Payee',
  'A payee of transactions.',
  {
    payee: text('Name of the payee; of a longer one the first 300 characters.'),
    ...counted,
    last_date: date('Day of its last transaction.'),
    category_id: nullable(
      id('A suggestion: the category that was last used for it, among its latest transactions.'),
    ),
  },
  { example: { payee: 'Corner Bakery', count: 112, last_date: '2026-03-14', category_id: 12 } },
);
export type Payee = Static<typeof Payee>;

/** The response of GET /coffer/payees. */
export const PayeeList = object('PayeeList', 'Payees of transactions.', {
  payees: listOf(Payee, 'The payees that begin with the words first, then the most used.'),
});
export type PayeeList = Static<typeof PayeeList>;
