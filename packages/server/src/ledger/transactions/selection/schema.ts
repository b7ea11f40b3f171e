import { Transaction } from '../schema.ts';
import { Type, type Static } from 'typebox';
import {
  amount,
  closed,
  count,
  date,
  exampleOf,
  flag,
  id,
  limit,
  listOf,
  nullable,
  object,
  only,
  optional,
  recordId,
  text,
  word,
  day,
} from '../../../operations/schema.ts';
import { selectionSorts } from '../../../pages/selection/query.ts';
import { asOf, TransactionListQuery } from '../parameters.ts';
import { countings } from '../../../pages/sides.ts';

/** Most words of a search. */
export const mostWords = 10;
/** Most ids of a filter, and the digits of each. */
const idsPattern = '^(0|[1-9]\\d{0,15})(,(0|[1-9]\\d{0,15})){0,99}$';
/** PostgreSQL cannot compare a text with NUL. */
const textPattern = '^[^\\u0000]*$';
const unsignedPattern = '^\\d+(\\.\\d{1,4})?$';
const monthPattern = '^(?!0000)\\d{4}-(0[1-9]|1[0-2])$';

function ids(description: string) {
  return optional(
    Type.String({
      pattern: idsPattern,
      description: `${description} Up to 100 ids with commas between them; 0: none.`,
    }),
  );
}

function unsigned(description: string) {
  return optional(Type.String({ pattern: unsignedPattern, description }));
}

const words = (description: string) =>
  optional(Type.String({ maxLength: 200, pattern: textPattern, description }));

const countsAs = (description: string) =>
  optional(
    word(countings, {
      description:
        `${description}\n\nThe sides are those of the totals of \`GET /v2/summary\`: categories that are excluded ` +
        'from totals count on none, income categories are income, and all others spending. Without a category, ' +
        'credits are income and debits are spending. Only transactions that lists show by default count.\n\n' +
        '`spending` and `income` leave out transfers between own accounts. `outflow` and `inflow` are the same sides ' +
        'with them, as in that summary.',
    }),
  );

const filters = {
  q: words(
    'Words that must all be in the payee or in the notes, up to 10.\n\n' +
      'Letter case and accents do not matter. A word of one or two characters must begin a word of the text. ' +
      'Only the first 300 characters of a payee and of notes are searched.',
  ),
  payee: optional(Type.String({ pattern: textPattern, description: 'With exactly this payee.' })),
  min_amount: unsigned('Smallest amount without its sign, in the currency of the transaction.'),
  max_amount: unsigned('Largest amount without its sign, inclusive.'),
  category_ids: ids('In one of these categories, or in one of these groups.'),
  tag_ids: ids('With one of these tags. 0 only alone.'),
  manual_account_ids: ids('In one of these manual accounts.'),
  plaid_account_ids: ids('In one of these synced accounts.'),
  import_id: optional(recordId('Created by this import.')),
  is_split_part: optional(flag('Only parts of splits (true), or none of them (false).')),
  counts_as: countsAs('Only transactions that count on this side.'),
};

/** The names of the filters that a list of an earlier state does not have. */
export const presentFilters: readonly string[] = [...Object.keys(filters), 'sort'];

const sort = optional(
  word(selectionSorts, {
    description:
      'Order: by date, by amount with its sign, or by payee; a minus means newest, largest or last first. ' +
      'Default: `-date`.',
  }),
);

const listed = TransactionListQuery.properties;
const parts = ['include_metadata', 'include_children', 'include_files'] as const;
const shown = Type.Omit(TransactionListQuery, [...parts, 'limit', 'offset']).properties;

/** The query of GET /coffer/transactions. */
export const SelectionQuery = closed({
  as_of: asOf,
  ...filters,
  sort,
  ...shown,
  ...only(listed, [...parts, 'limit', 'offset']),
});
export type SelectionQuery = Static<typeof SelectionQuery>;

/** The query of GET /coffer/transactions/{id}. */
export const EarlierQuery = closed({ as_of: asOf });

/** The query of GET /coffer/transactions/months: the filters of the list. */
export const MonthsQuery = closed({ ...filters, ...shown });
export type MonthsQuery = Static<typeof MonthsQuery>;

const queryMonth = (description: string) =>
  optional(Type.String({ pattern: monthPattern, description }));

/** What sums can be divided by. */
const divisionNames = ['day', 'month', 'category', 'account', 'payee', 'tag'] as const;
/** Payees that sums name. */
export const mostPayees = 500;

/** The query of GET /coffer/sums. */
export const SumsQuery = closed({
  start_month: queryMonth('First month, `YYYY-MM`, inclusive; may be sent alone.'),
  end_month: queryMonth('Last month, inclusive; may be sent alone.'),
  start_date: optional(day('First day, inclusive, instead of `start_month`.')),
  end_date: optional(day('Last day, inclusive, instead of `end_month`.')),
  counts_as: countsAs('Sum only transactions that count on this side.'),
  by: Type.String({
    pattern: `^(${divisionNames.join('|')})(,(${divisionNames.join('|')})){0,2}$`,
    default: 'month',
    description:
      'What the sums are divided by: up to three of `day`, `month`, `category`, `account`, `payee` and `tag`, with ' +
      'commas between them.\n\n' +
      `Of payees, the ${mostPayees} with the largest sums are named, and all others are one. ` +
      'A transaction counts in each of its tags.',
  }),
  transfers: word(['left_out', 'counted', 'sent', 'received'], {
    default: 'left_out',
    description:
      'Whether the transactions of transfers are summed: not, as others, or alone those with which money leaves an ' +
      'account (`sent`) or arrives (`received`).',
  }),
});
export type SumsQuery = Static<typeof SumsQuery>;

/** The query of GET /coffer/payees. */
export const PayeesQuery = closed({
  q: words(
    'Words that must all be in the payee. Without them, payees of the latest transactions are listed.',
  ),
  limit: limit(100, 20, 'Most payees in the response.'),
});
export type PayeesQuery = Static<typeof PayeesQuery>;

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
const TransactionMonth = object(
  'TransactionMonth',
  'The transactions of a month.',
  {
    month,
    ...counted,
    total,
  },
  { example: { month: '2026-03', count: 2, total: '-2832.6000' } },
);

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
const TransactionSum = object(
  'TransactionSum',
  'A sum of transactions.',
  {
    date: optional(date(`Day; ${dividedBy('day')}.`)),
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
    payee: optional(
      nullable(text(`Name of the payee; null for all others; ${dividedBy('payee')}.`)),
    ),
    tag_id: optional(nullable(id(`Id of the tag; null for none; ${dividedBy('tag')}.`))),
    ...counted,
    total,
  },
  { example: { month: '2026-03', category_id: 12, count: 2, total: '-2832.6000' } },
);

/** The response of GET /coffer/sums. */
export const TransactionSums = object('TransactionSums', 'Sums of transactions.', {
  sums: listOf(
    TransactionSum,
    'The sums, by date (oldest first), category, account, payee and tag. Without transactions there is none.',
  ),
});
export type TransactionSums = Static<typeof TransactionSums>;

/** A payee of the book's transactions. */
const Payee = object(
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

/** The response of GET /coffer/payees. */
export const PayeeList = object('PayeeList', 'Payees of transactions.', {
  payees: listOf(Payee, 'The payees that begin with the words first, then the most used.'),
});
export type PayeeList = Static<typeof PayeeList>;
