import { Type, type Static } from 'typebox';
import {
  closed,
  dateTime,
  exampleOf,
  id,
  idPath,
  listOf,
  nullable,
  number,
  object,
  text,
  textUpTo,
  word,
} from '../../operations/schema.ts';
import {
  cryptoDecimals,
  maxCoingeckoIdLength,
  maxCryptoNameLength,
  maxCryptoSymbolLength,
} from '../../operations/limits.ts';

/** The providers of synced balances. */
const providers = ['kraken', 'coinbase', 'ethereum'] as const;
/** The states of a connection to a provider. */
const statuses = ['active', 'unsupported', 'relink', 'initializing'] as const;

/** How much of one asset a synced account holds. */
export const SyncedCryptoBalance = object(
  'SyncedCryptoBalance',
  'The balance of one asset in a synced account.',
  {
    name: textUpTo(maxCryptoNameLength, 'Name of the asset, such as `BTC`.'),
    display_name: nullable(text('Name of the asset in this account; always null in this version.')),
    balance: Type.String({
      pattern: `^(0|[1-9]\\d*)\\.\\d{${cryptoDecimals}}$`,
      description: 'Quantity of the asset.',
    }),
    symbol: textUpTo(
      maxCryptoSymbolLength,
      'Symbol in lower-case letters and digits, unique in the account, such as `btc`.',
    ),
    coingecko_id: nullable(
      textUpTo(maxCoingeckoIdLength, 'Id of the asset at CoinGecko; null when unknown.'),
    ),
    to_base: nullable(number("Value in the book's primary currency; null without a price.")),
    balance_as_of: dateTime('When the provider returned the balance.'),
    exchange_rate_as_of: nullable(dateTime('Time of the price in `to_base`.')),
    updated_at: dateTime('When the balance was last stored.'),
  },
  {
    example: {
      name: 'BTC',
      display_name: null,
      balance: '0.031400000000000000',
      symbol: 'btc',
      coingecko_id: 'bitcoin',
      to_base: 2512.25,
      balance_as_of: '2026-03-15T06:30:00.250Z',
      exchange_rate_as_of: '2026-03-15T06:29:12.000Z',
      updated_at: '2026-03-15T06:30:00.250Z',
    },
  },
);
export type SyncedCryptoBalance = Static<typeof SyncedCryptoBalance>;

/** A connection to a provider, with the balances last read from it. */
export const SyncedCryptoAccount = object(
  'SyncedCryptoAccount',
  'An account at an exchange or a wallet, whose balances are read from a provider.',
  {
    id: id('Id of the synced account.'),
    provider: word(providers, { description: 'Source of the balances.' }),
    status: word(statuses, {
      description:
        'State of the connection.\n\n' +
        '`initializing`: not read yet. `active`: read, or failed temporarily. ' +
        '`relink`: the provider refused the key; add the account again. ' +
        '`unsupported`: the provider sent no balances that Coffer can read.',
    }),
    created_by_name: text('Name of the user who added the account.'),
    created_at: dateTime('When the account was added.'),
    updated_at: dateTime('When the account, its status or its balances last changed.'),
    last_import: nullable(dateTime('When the balances were last read.')),
    display_name: nullable(text('Name of the account.')),
    balances: listOf(SyncedCryptoBalance, 'Balances at the last reading, by symbol.'),
  },
  {
    example: {
      id: 7,
      provider: 'coinbase',
      status: 'active',
      created_by_name: 'Ada Quill',
      created_at: '2026-01-02T09:00:00.000Z',
      updated_at: '2026-03-15T06:30:00.250Z',
      last_import: '2026-03-15T06:30:00.250Z',
      display_name: 'Savings in coins',
      balances: [
        exampleOf(SyncedCryptoBalance),
        {
          ...exampleOf(SyncedCryptoBalance),
          name: 'NEWCOIN',
          balance: '1200.000000000000000001',
          symbol: 'newcoin',
          coingecko_id: null,
          to_base: null,
          exchange_rate_as_of: null,
        },
      ],
    },
  },
);
export type SyncedCryptoAccount = Static<typeof SyncedCryptoAccount>;

/** The response of GET /v2/crypto/synced. */
export const SyncedCryptoListResponse = object(
  'SyncedCryptoListResponse',
  'All synced crypto accounts of the book.',
  {
    crypto_synced: listOf(SyncedCryptoAccount, 'Sorted by `id`.'),
  },
  { title: 'Synced crypto list' },
);

/** The path of one synced crypto account, and of its refresh. */
export const SyncedCryptoPath = idPath('synced crypto account');

/** The path of GET /v2/crypto/synced/{id}/{symbol}. */
export const SyncedCryptoBalancePath = closed({
  ...SyncedCryptoPath.properties,
  symbol: textUpTo(maxCryptoSymbolLength, 'Symbol of an asset of the account, in any letter case.'),
});
