import type { CryptoCredentials, CryptoHolding } from '../records/crypto.ts';
import { CryptoRefreshError } from '../records/crypto.ts';
import { createCoinbaseConnector } from './coinbase.ts';
import { createEthereumConnector } from './ethereum.ts';
import { createKrakenConnector } from './kraken.ts';

/** The addresses of the providers; that of an Ethereum node may be missing. */
export interface ProviderAddresses {
  readonly ethereumRpcUrl: string | null;
  readonly krakenUrl: string;
  readonly coinbaseUrl: string;
}

/** Asks each provider in its own protocol. */
export interface Providers {
  /** See the connectors; rejects with CryptoRefreshError (`unconfigured`) without the address of a node. */
  readHoldings(
    credentials: CryptoCredentials,
    signal: AbortSignal,
  ): Promise<readonly CryptoHolding[]>;
}

/** Makes the connectors to all providers; `now` is in milliseconds. */
export function createProviders(addresses: ProviderAddresses, now: () => number): Providers {
  const kraken = createKrakenConnector({ url: addresses.krakenUrl, now });
  const coinbase = createCoinbaseConnector({ url: addresses.coinbaseUrl, now });
  const { ethereumRpcUrl } = addresses;
  const ethereum = ethereumRpcUrl === null ? null : createEthereumConnector(ethereumRpcUrl);
  return {
    async readHoldings(credentials, signal) {
      switch (credentials.provider) {
        case 'kraken':
          return kraken.readHoldings(credentials, signal);
        case 'coinbase':
          return coinbase.readHoldings(credentials, signal);
        case 'ethereum':
          if (ethereum !== null) return ethereum.readHoldings(credentials, signal);
          throw new CryptoRefreshError('unconfigured', 'This service has no Ethereum node to ask');
      }
    },
  };
}
