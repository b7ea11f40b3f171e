import { Cryptocurrency, CryptocurrencyInsert, CryptocurrencyList } from './schema.ts';

/** Components of the document about cryptocurrencies, by name. */
export const cryptocurrencyComponents = {
  CryptocurrencyListResponse: CryptocurrencyList,
  Cryptocurrency,
  CryptocurrencyInsert,
} as const;
