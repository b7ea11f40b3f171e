import { Type, type Static } from 'typebox';
import {
  amount,
  closed,
  count,
  Currency,
  date,
  dateTime,
  exampleOf,
  flag,
  id,
  idPath,
  listOf,
  nullable,
  object,
  optional,
  orNull,
  reference,
  someId,
  text,
  word,
} from '../../operations/schema.ts';
import { amountInput } from '../../operations/amounts.ts';

/** Stretches in one response. */
export const mostStretches = 500;

export const BalanceAnchor = object(
  'BalanceAnchor',
  'A balance that is known for the end of a day.',
  {
    id: id('Id of the anchor.'),
    manual_account_id: nullable(id('The manual account; null for a synced one.')),
    plaid_account_id: nullable(id('The synced account; null for a manual one.')),
    day: date('The day at whose end the account has the balance.'),
    source: word(['statement', 'user', 'bank', 'api'], {
      description:
        '`statement`: a file says it. `user`: somebody typed it. `bank`: a connection to a bank has read it. `api`: ' +
        'a request has set or moved the balance.',
    }),
    balance: amount('In `currency`; debts are negative, whatever the type of the account is.'),
    currency: reference(Currency, 'The currency of the account.'),
    import_id: nullable(id('The import of the statement.')),
    set_at: dateTime('When the balance became known.'),
  },
  {
    example: {
      id: 5,
      manual_account_id: 3,
      plaid_account_id: null,
      day: '2026-05-31',
      source: 'statement',
      balance: '1129.4900',
      currency: 'usd',
      import_id: 13,
      set_at: '2026-06-01T08:30:00.000Z',
    },
  },
);
export type BalanceAnchorWire = Static<typeof BalanceAnchor>;

const kinds = ['manual', 'plaid'] as const;

export const AccountPath = closed({ id: someId('Id of the account.') });
export const AccountKindQuery = closed({
  kind: optional(word(kinds, { description: 'Kind of the account.', default: 'manual' as const })),
});

const ProofWrite = object(
  'ProofWrite',
  'The last write of a transaction in these days.',
  {
    version: count('The version of the book that it made.'),
    at: dateTime('When.'),
    actor: text('Who, such as `token 12`.'),
    operation: text('By which operation.'),
  },
  {
    example: {
      version: 41,
      at: '2026-06-02T08:30:00.000Z',
      actor: 'token 12',
      operation: 'updateTransaction',
    },
  },
);

const ProofExplanation = object(
  'ProofExplanation',
  'What would explain a difference.',
  {
    kind: word(['doubled', 'turned', 'pending', 'outside', 'extra', 'missing'], {
      description:
        '`doubled`: one of these equal transactions is too much. `turned`: its sign is wrong. `pending`: the bank has ' +
        'booked it. `outside`: it belongs into these days. `extra`: the bank may not have it. `missing`: a ' +
        'transaction, a whole day or an amount is missing.',
    }),
    transaction_ids: Type.Array(id('Id of a transaction.'), {
      description: 'The transactions; none for `missing`.',
    }),
  },
  { example: { kind: 'doubled', transaction_ids: [812, 813] } },
);

const ProofStretch = object(
  'ProofStretch',
  'The days after one known balance, up to the next.',
  {
    state: word(['proved', 'broken', 'moved'], {
      description:
        '`proved`: the transactions make the difference of the two balances. `broken`: they do not. `moved`: they do ' +
        'not, but a request has set or moved one of the balances.',
    }),
    from: reference(BalanceAnchor, 'The earlier balance.'),
    to: reference(
      BalanceAnchor,
      'The later balance. Its day is the first on which the balance is wrong.',
    ),
    rows: count('Number of transactions between them.'),
    difference: amount('The later balance, less what the transactions make of the earlier one.'),
    explanations: listOf(
      ProofExplanation,
      'The likely first; empty if it is proved, and for the older ones of many.',
    ),
    write: orNull(ProofWrite, 'Null if it is proved, and for the older ones of many.'),
  },
  {
    example: {
      state: 'broken',
      from: { ...exampleOf(BalanceAnchor), id: 4, day: '2026-04-30', balance: '980.0000' },
      to: exampleOf(BalanceAnchor),
      rows: 31,
      difference: '-12.5000',
      explanations: [exampleOf(ProofExplanation)],
      write: exampleOf(ProofWrite),
    },
  },
);
export type ProofStretch = Static<typeof ProofStretch>;

export const AccountProof = object(
  'AccountProof',
  'Which balances of an account follow from its transactions.',
  {
    state: word(['proved', 'broken', 'unknown'], {
      description:
        '`proved`: all balances of statements, users and banks follow. `broken`: one does not. `unknown`: fewer than ' +
        'two are known.',
    }),
    currency: reference(Currency, 'The currency of the account.'),
    proved_until: nullable(date('The last day up to which everything is proved; null for none.')),
    broken_on: nullable(date('The first day on which the balance is wrong; null for none.')),
    difference: nullable(amount('The difference on that day; null without one.')),
    anchors: count('How many balances are known.'),
    stretches: listOf(ProofStretch, `The last ${mostStretches}, the newest first.`),
  },
  {
    example: {
      state: 'broken',
      currency: 'usd',
      proved_until: '2026-04-30',
      broken_on: '2026-05-31',
      difference: '-12.5000',
      anchors: 3,
      stretches: [exampleOf(ProofStretch)],
    },
  },
);
export type AccountProof = Static<typeof AccountProof>;

export const AnchorInsert = object(
  'BalanceAnchorInsert',
  'A balance that somebody knows.',
  {
    day: date('The day at whose end the account has the balance; not in the future.'),
    balance: amountInput(
      'In the currency of the account, with up to four decimals; debts are negative.',
    ),
    forget_moved: optional(
      flag(
        'Forget what requests have set or moved on that day and later, so that the present balance follows from it.',
        false,
      ),
    ),
  },
  { example: { day: '2025-12-31', balance: '1129.49' } },
);

export const AnchorPath = idPath('balance anchor');

export const DaysQuery = closed({
  kind: AccountKindQuery.properties.kind,
  start_date: date('First day, inclusive.'),
  end_date: date('Last day, inclusive.'),
});

const AccountDay = object(
  'AccountDay',
  'A day of an account.',
  {
    date: date('The day.'),
    rows: count('Transactions that move the balance on this day.'),
    balance: amount('At the end of the day; debts are negative.'),
    state: nullable(
      word(['proved', 'broken', 'moved'], {
        description: 'Of the days between known balances in which it is; null outside of them.',
      }),
    ),
  },
  { example: { date: '2026-05-31', rows: 2, balance: '1129.4900', state: 'proved' } },
);

export const AccountDays = object('AccountDays', 'Balances of an account by day.', {
  currency: reference(Currency, 'The currency of the account.'),
  days: listOf(AccountDay, 'The days with transactions, and the last day, ascending.'),
});
export type AccountDays = Static<typeof AccountDays>;
