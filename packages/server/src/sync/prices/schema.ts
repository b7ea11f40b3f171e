import type { Static } from 'typebox';
import {
  maxCoingeckoIdLength,
  maxCryptoFullNameLength,
  maxCryptoSymbolLength,
} from '../../operations/limits.ts';
import { id, listOf, object, textUpTo } from '../../operations/schema.ts';

/** A cryptocurrency that manual balances can be in. */
export const Cryptocurrency = object(
  'Cryptocurrency',
  'A supported cryptocurrency.',
  {
    id: id('Id of the cryptocurrency; the same for all books.'),
    coingecko_id: textUpTo(maxCoingeckoIdLength, 'Id at CoinGecko, whose prices are used.'),
    symbol: textUpTo(maxCryptoSymbolLength, 'Unique symbol in lower case, such as `btc`.'),
    full_name: textUpTo(maxCryptoFullNameLength, 'Name for people.'),
  },
  { example: { id: 1, coingecko_id: 'bitcoin', symbol: 'btc', full_name: 'Bitcoin' } },
);
export type Cryptocurrency = Static<typeof Cryptocurrency>;

/** The response of GET /v2/cryptocurrencies. */
export const CryptocurrencyList = object(
  'CryptocurrencyListResponse',
  'The cryptocurrencies that manual balances can be in.',
  {
    cryptocurrencies: listOf(Cryptocurrency, 'Sorted by `id`.'),
  },
);

/** The body of POST /v2/cryptocurrencies. */
export const CryptocurrencyInsert = object(
  'CryptocurrencyInsert',
  'A cryptocurrency to add.',
  {
    coingecko_url: textUpTo(
      200,
      'Page of the asset at CoinGecko in any language, such as `https://www.coingecko.com/en/coins/cardano`.',
    ),
  },
  { example: { coingecko_url: 'https://www.coingecko.com/fr/coins/cardano' } },
);

const refusal = (error: { errMsg: string; [key: string]: string }) => ({
  message: 'Request Validation Failure',
  errors: [error],
});

/** Examples of refusals. */
export const refusedCryptocurrencies = {
  known: {
    summary: 'It is supported already',
    value: refusal({
      errMsg: "The cryptocurrency with the coingecko_id 'bitcoin' is already supported",
      existing_coingecko_id: 'bitcoin',
      existing_symbol: 'btc',
    }),
  },
  unknown: {
    summary: 'CoinGecko has no such asset',
    value: refusal({
      errMsg: "CoinGecko has no usable asset with the id 'xyz'",
      coingecko_url: 'https://www.coingecko.com/en/coins/xyz',
    }),
  },
};
