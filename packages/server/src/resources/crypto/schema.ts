import { Type, type Static } from 'typebox';
import { dateTime, id, idPath, nullable, object, reference, word } from '../../wire/schema.ts';
import {
  cryptoDecimals,
  maxCoingeckoIdLength,
  maxCryptoNameLength,
  maxCryptoSymbolLength,
} from '../../wire/limits.ts';

/** Where synced balances come from. */
const providers = ['kraken', 'coinbase', 'ethereum'] as const;
/** How the connection to a provider stands. */
const statuses = ['active', 'unsupported', 'relink', 'initializing'] as const;

/** How much of one asset a synced account holds. */
export const SyncedCryptoBalance = object(
  'SyncedCryptoBalance',
  'How much of one asset a synced account holds, and what that is worth.',
  {
    name: Type.String({
      minLength: 1,
      maxLength: maxCryptoNameLength,
      description: 'The name of the asset, as people write it: `BTC`.',
    }),
    display_name: nullable(
      Type.String({
        description:
          'The name that was given to the asset in this account; null when it has none. In this version always null.',
      }),
    ),
    balance: Type.String({
      pattern: `^(0|[1-9]\\d*)\\.\\d{${cryptoDecimals}}$`,
      description: `How much the account holds: decimal text with exactly ${cryptoDecimals} decimals.`,
    }),
    symbol: Type.String({
      minLength: 1,
      maxLength: maxCryptoSymbolLength,
      description:
        'The symbol of the asset in lower-case letters and digits, once in an account: `btc`.',
    }),
    coingecko_id: nullable(
      Type.String({
        minLength: 1,
        maxLength: maxCoingeckoIdLength,
        description: 'The id under which CoinGecko has the asset; null when it is not known.',
      }),
    ),
    to_base: nullable(
      Type.Number({
        description:
          "What the balance is worth in the book's primary currency, with four decimals; null when there is no price.",
      }),
    ),
    balance_as_of: dateTime('When the provider told the balance, in UTC.'),
    exchange_rate_as_of: nullable(
      dateTime('When the price behind `to_base` was made, in UTC; null when there is no price.'),
    ),
    updated_at: dateTime('When the balance was last stored, in UTC.'),
  },
  'Synced crypto balance',
);
export type SyncedCryptoBalance = Static<typeof SyncedCryptoBalance>;

/** A connection to a provider with the balances that were last read from it. */
export const SyncedCryptoAccount = object(
  'SyncedCryptoAccount',
  'An account at an exchange, or a wallet, whose balances are read from a provider.',
  {
    id: id('The id of the synced account.'),
    provider: word(providers, { description: 'Where the balances are read.' }),
    status: word(statuses, {
      description:
        '`initializing`: not read yet. `active`: the last reading succeeded, or failed in a way that passes by itself. ' +
        '`relink`: the provider refused the key, so the account has to be added anew. ' +
        '`unsupported`: the answer of the provider was not understood.',
    }),
    created_by_name: Type.String({ description: 'The name of the user who added the account.' }),
    created_at: dateTime('When the account was added, in UTC.'),
    updated_at: dateTime('When the account, its status or its balances last changed, in UTC.'),
    last_import: nullable(
      dateTime(
        'When the balances were last read from the provider, in UTC; null before the first time.',
      ),
    ),
    display_name: nullable(
      Type.String({
        description: 'The name that was given to the account; null when it has none.',
      }),
    ),
    balances: Type.Array(reference<SyncedCryptoBalance>('SyncedCryptoBalance'), {
      description:
        'What the account held when it was last read, by symbol. A refresh replaces all of them or, when it fails, none.',
    }),
  },
  'Synced crypto account',
);
export type SyncedCryptoAccount = Static<typeof SyncedCryptoAccount>;

/** The answer to GET /v2/crypto/synced. */
export const SyncedCryptoListResponse = object(
  'SyncedCryptoListResponse',
  'All synced crypto accounts of the book, in one answer without pages.',
  {
    crypto_synced: Type.Array(reference<SyncedCryptoAccount>('SyncedCryptoAccount'), {
      description: 'The accounts by id. Empty when the book has none.',
    }),
  },
  'Synced crypto list',
);
export type SyncedCryptoListResponse = Static<typeof SyncedCryptoListResponse>;

/** The path of one synced crypto account, and of its refresh. */
export const SyncedCryptoPath = idPath('synced crypto account');
export type SyncedCryptoPath = Static<typeof SyncedCryptoPath>;

/** The path of GET /v2/crypto/synced/{id}/{symbol}. */
export const SyncedCryptoBalancePath = Type.Object(
  {
    ...SyncedCryptoPath.properties,
    symbol: Type.String({
      minLength: 1,
      maxLength: maxCryptoSymbolLength,
      description:
        'The symbol of an asset that the account holds; letter case does not matter. One that it does not hold: 404.',
    }),
  },
  { additionalProperties: false },
);
export type SyncedCryptoBalancePath = Static<typeof SyncedCryptoBalancePath>;
