import { Type, type Static, type TUnsafe } from 'typebox';
import {
  cryptoDecimals,
  maxCoingeckoIdLength,
  maxCryptoInstitutionLength,
  maxCryptoNameLength,
  maxCryptoSymbolLength,
} from '../../operations/limits.ts';
import {
  closed,
  dateTime,
  exampleOf,
  flag,
  id,
  idPath,
  ignoring,
  listOf,
  nullable,
  number,
  object,
  optional,
  partial,
  text,
  textUpTo,
} from '../../operations/schema.ts';

const symbol = textUpTo(
  maxCryptoSymbolLength,
  'Symbol of a supported cryptocurrency, such as `btc`.',
);

const names = {
  name: textUpTo(maxCryptoNameLength, 'Name of the balance.'),
  display_name: nullable(textUpTo(maxCryptoNameLength, 'Name to show; null to use `name`.')),
  institution_name: nullable(
    textUpTo(maxCryptoInstitutionLength, 'Name of the wallet or the institution.'),
  ),
};

/** A crypto balance that the user enters. */
export const ManualCryptoAccount = object(
  'ManualCryptoAccount',
  'A balance of one crypto asset, entered by hand.',
  {
    id: id('Id of the manual crypto account.'),
    ...names,
    balance: Type.String({
      pattern: `^-?(0|[1-9]\\d*)\\.\\d{${cryptoDecimals}}$`,
      description: 'Quantity of the asset.',
    }),
    symbol,
    coingecko_id: nullable(textUpTo(maxCoingeckoIdLength, 'Id of the asset at CoinGecko.')),
    to_base: nullable(number("Value in the book's primary currency; null without a price.")),
    balance_as_of: nullable(dateTime('When the balance was last set.')),
    exchange_rate_as_of: nullable(dateTime('Time of the price in `to_base`.')),
    created_by_name: nullable(text('Name of the user who created it.')),
    created_at: dateTime('When it was created.'),
    updated_at: dateTime('When it was last changed, by a new price too.'),
  },
  {
    example: {
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
    },
  },
);
export type ManualCryptoAccount = Static<typeof ManualCryptoAccount>;

/** The response of GET /v2/crypto/manual. */
export const ManualCryptoList = object(
  'ManualCryptoAccountListResponse',
  'All manual crypto accounts of the book.',
  {
    crypto_manual: listOf(ManualCryptoAccount, 'Sorted by `id`.'),
  },
);

/** A quantity in a request: a JSON number, or a decimal text with up to 18 decimals. */
const quantity: TUnsafe<number | string> = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  pattern: `^-?\\d+(\\.\\d{1,${cryptoDecimals}})?$`,
  description: `Quantity of the asset: a text with up to ${cryptoDecimals} decimals, or a number, which has fewer digits.`,
});

const { name, ...otherNames } = names;

export const ManualCryptoPath = idPath('manual crypto account');

/** The body of POST /v2/crypto/manual. */
export const ManualCryptoInsert = object(
  'ManualCryptoInsert',
  'A new manual crypto account.',
  { name, ...partial(otherNames), balance: quantity, symbol },
  { example: { name: 'Paper wallet', balance: '0.852341920145782301', symbol: 'btc' } },
);

/** The body of PUT /v2/crypto/manual/{id}. */
export const ManualCryptoUpdate = object(
  'ManualCryptoUpdate',
  'Changes to a manual crypto account. The other properties of a response are accepted and ignored.',
  {
    ...partial({ ...otherNames, name: nullable(name), balance: quantity }),
    ...ignoring(
      'id',
      'symbol',
      'coingecko_id',
      'to_base',
      'balance_as_of',
      'exchange_rate_as_of',
      'created_by_name',
      'created_at',
      'updated_at',
    ),
  },
  { example: { balance: '0.9' } },
);

/** The query of DELETE /v2/crypto/manual/{id}. */
export const ManualCryptoDeleteQuery = closed({
  keep_history: optional(
    flag('Whether to keep the balance history. Required if the account has a balance history.'),
  ),
});

/** Examples of updates. */
export const manualCryptoUpdates = {
  balance: { summary: 'Only the balance', value: exampleOf(ManualCryptoUpdate) },
  whole: {
    summary: 'A whole response, with another balance',
    value: { ...exampleOf(ManualCryptoAccount), balance: 1 },
  },
};

/** The refusal of a deletion that does not say what happens to the balance history. */
export const unconfirmedDeletion = {
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
};
