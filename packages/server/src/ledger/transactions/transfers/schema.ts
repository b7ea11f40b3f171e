import { Type, type Static } from 'typebox';
import { transferSources } from '../../../db/tables/tables.ts';
import { amountInput } from '../../../operations/amounts.ts';
import {
  amount,
  closed,
  count,
  currencyCode,
  date,
  dateTime,
  day,
  exampleOf,
  flag,
  id,
  idPath,
  limit,
  listOf,
  nullable,
  number,
  object,
  offset,
  optional,
  reference,
  someId,
  text,
  word,
} from '../../../operations/schema.ts';

/** A transaction of a transfer. */
const TransferSide = object(
  'TransferSide',
  'One of the two transactions of a transfer.',
  {
    transaction_id: id('Id of the transaction.'),
    date: date('Its day.'),
    amount: amount('Its amount in `currency`, without a sign.'),
    currency: currencyCode('Its currency.'),
    payee: text('Its payee.'),
    manual_account_id: nullable(id('Id of its manual account.')),
    plaid_account_id: nullable(id('Id of its synced account.')),
  },
  {
    example: {
      transaction_id: 301,
      date: '2026-03-02',
      amount: '500.0000',
      currency: 'usd',
      payee: 'To savings',
      manual_account_id: 3,
      plaid_account_id: null,
    },
  },
);

const pair = {
  rate: nullable(
    number('Received money for one unit of sent money; null if both are in one currency.'),
  ),
  fee: nullable(amount('What was sent and did not arrive; null if the currencies differ.')),
  sent: reference(TransferSide, 'The transaction with which money leaves an account.'),
  received: reference(TransferSide, 'The transaction with which it arrives.'),
};
const examplePair = {
  rate: null,
  fee: '0.0000',
  sent: exampleOf(TransferSide),
  received: {
    ...exampleOf(TransferSide),
    transaction_id: 302,
    payee: 'From checking',
    manual_account_id: 4,
  },
};

/** A transfer with its two transactions. */
export const Transfer = object(
  'Transfer',
  'Two transactions that are one movement of money between two accounts of the book.',
  {
    id: id('Id of the transfer.'),
    found_by: word(transferSources, {
      description:
        '`account_number`: a file names the other account. `rows`: the amounts, days and texts. `user`: a request.',
    }),
    ...pair,
    created_at: dateTime('When it was made.'),
  },
  { example: { id: 7, found_by: 'rows', ...examplePair, created_at: '2026-03-04T09:00:00.000Z' } },
);
export type Transfer = Static<typeof Transfer>;

/** The response of GET /coffer/transfers. */
export const TransferList = object('TransferList', 'A page of transfers.', {
  transfers: listOf(Transfer, 'The transfers, the newest first.'),
  has_more: flag('Whether more transfers follow.'),
});
export type TransferList = Static<typeof TransferList>;

const days = {
  start_date: optional(day('First day, inclusive; may be sent alone.')),
  end_date: optional(day('Last day, inclusive; may be sent alone.')),
};

/** The query of GET /coffer/transfers. */
export const TransferQuery = closed({
  transaction_ids: optional(
    Type.String({
      pattern: '^[1-9]\\d{0,14}(,[1-9]\\d{0,14}){0,199}$',
      description: 'With one of these transactions: up to 200 ids with commas between them.',
    }),
  ),
  ...days,
  limit: limit(500, 100, 'Most transfers in the response.'),
  offset: offset('Number of transfers to skip.'),
});
export type TransferQuery = Static<typeof TransferQuery>;

/** The path of one transfer. */
export const TransferPath = idPath('transfer');

/** The body of POST /coffer/transfers. */
export const TransferInsert = object(
  'TransferInsert',
  'Two transactions that become a transfer.',
  {
    sent_id: someId('Id of the transaction with which money leaves an account.'),
    received_id: someId('Id of the transaction with which it arrives in another account.'),
  },
  { example: { sent_id: 301, received_id: 302 } },
);
export type TransferInsert = Static<typeof TransferInsert>;

/** An account of a new transfer. */
const TransferAccount = object(
  'TransferAccount',
  'An account of a new transfer: exactly one of the two ids.',
  {
    manual_account_id: optional(nullable(someId('Id of the manual account.'))),
    plaid_account_id: optional(
      nullable(someId('Id of the synced account, whose transactions can be changed.')),
    ),
  },
  { example: { manual_account_id: 3 } },
);
export type TransferAccount = Static<typeof TransferAccount>;

/** The body of POST /coffer/transfers/rows. */
export const TransferRowsInsert = object(
  'TransferRowsInsert',
  'A transfer whose two transactions do not exist yet.',
  {
    date: day('Day on which the money leaves.'),
    amount: amountInput('What leaves the account, above 0, in the currency of that account.'),
    from_account: reference(TransferAccount, 'The account that the money leaves.'),
    to_account: reference(TransferAccount, 'The account in which it arrives.'),
    received_date: optional(day('Day on which the money arrives. Default: `date`.')),
    received_amount: optional(
      amountInput(
        'What arrives, above 0, in the currency of that account. Needed if the currencies differ; default: `amount`.',
      ),
    ),
    payee: optional(text('Payee of both. Default: the name of the other account.')),
    notes: optional(text('Notes of both.')),
  },
  {
    example: {
      date: '2026-03-02',
      amount: '500',
      from_account: { manual_account_id: 3 },
      to_account: { manual_account_id: 4 },
    },
  },
);
export type TransferRowsInsert = Static<typeof TransferRowsInsert>;

/** A pair of transactions that may be a transfer. */
const TransferSuggestion = object(
  'TransferSuggestion',
  'Two transactions that may be a transfer.',
  {
    ...pair,
    is_certain: flag('Whether a request to find transfers makes it one.'),
    why: text('Why, in a few words.'),
  },
  { example: { ...examplePair, is_certain: false, why: 'the same amount on the same day' } },
);

/** The response of GET /coffer/transfers/suggestions. */
export const TransferSuggestions = object(
  'TransferSuggestions',
  'Pairs of transactions that may be transfers.',
  {
    suggestions: listOf(TransferSuggestion, 'The likeliest of each transaction, the newest first.'),
  },
);
export type TransferSuggestions = Static<typeof TransferSuggestions>;

/** The query of GET /coffer/transfers/suggestions, and the body of POST /coffer/transfers/find. */
export const SuggestionsQuery = closed({
  ...days,
  limit: limit(500, 100, 'Most suggestions in the response.'),
});
export type SuggestionsQuery = Static<typeof SuggestionsQuery>;

/** The body of POST /coffer/transfers/find. */
export const TransferSearch = object(
  'TransferSearch',
  'The days in which transfers are looked for; by default all.',
  days,
  { example: { start_date: '2026-01-01' } },
);
export type TransferSearch = Static<typeof TransferSearch>;

/** The response of POST /coffer/transfers/find. */
export const FoundTransfers = object(
  'FoundTransfers',
  'What a search for transfers has made.',
  { made: count('Number of new transfers.') },
  { example: { made: 12 } },
);
export type FoundTransfers = Static<typeof FoundTransfers>;
