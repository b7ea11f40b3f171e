import type { Static } from 'typebox';
import {
  Currency,
  count,
  date,
  exampleOf,
  listOf,
  object,
  optional,
  reference,
  text,
  word,
} from '../operations/schema.ts';

/** The body of POST /coffer/book/currency and of its preview. */
export const CurrencyChange = object(
  'CurrencyChange',
  'The new primary currency of the book.',
  {
    primary_currency: reference(Currency, 'The new primary currency.'),
    budgets: word(['convert', 'keep'], {
      default: 'convert',
      description:
        'What becomes of budgets in the former primary currency: `convert` converts each at the rate of its first day, ' +
        '`keep` keeps the number and changes its currency. Budgets in other currencies stay as they are.',
    }),
    version: optional(
      count(
        'The `version` of the preview. If the book has another one by now, the response is 409 and nothing is changed.',
      ),
    ),
  },
  { example: { primary_currency: 'chf', budgets: 'convert' } },
);
export type CurrencyChange = Static<typeof CurrencyChange>;
export type BudgetChoice = CurrencyChange['budgets'];

const ChangedRecords = object(
  'RevaluedRecords',
  'How many records of one kind have a value in the primary currency.',
  { record: text('Kind of the records, such as `transactions`.'), count: count('Their number.') },
  { example: { record: 'transactions', count: 1204 } },
);

const MissingRates = object(
  'MissingRates',
  'Records whose value is 0, because there is no exchange rate up to their days.',
  {
    currency: reference(Currency, 'Their currency.'),
    count: count('Their number.'),
    first_date: date('The first of their days.'),
    last_date: date('The last of their days.'),
  },
  { example: { currency: 'jpy', count: 3, first_date: '1998-03-01', last_date: '1998-12-24' } },
);

/** The response of POST /coffer/book/currency and of its preview. */
export const CurrencyOutcome = object(
  'CurrencyOutcome',
  'What a change of the primary currency does.',
  {
    version: count('Version of the book: that of the preview, or after the change.'),
    from: reference(Currency, 'The primary currency before the change.'),
    to: reference(Currency, 'The new primary currency.'),
    records: listOf(ChangedRecords, 'The records whose `to_base` is computed again.'),
    without_rate: listOf(
      MissingRates,
      'What has no exchange rate: its `to_base` is 0 until rates are imported. Values of cryptocurrencies without a ' +
        'rate are null until their price is read again; they count in the former primary currency.',
    ),
    budgets: object('ChangedBudgets', 'Budgets in the former primary currency.', {
      changed: count('Those that get the new currency.'),
      left: count('Those that stay in the former one, because there is no rate to convert them.'),
    }),
  },
  {
    example: {
      version: 42,
      from: 'eur',
      to: 'chf',
      records: [exampleOf(ChangedRecords), { record: 'budgets', count: 36 }],
      without_rate: [exampleOf(MissingRates)],
      budgets: { changed: 36, left: 0 },
    },
  },
);
export type CurrencyOutcome = Static<typeof CurrencyOutcome>;
