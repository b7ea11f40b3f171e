import { randomBytes } from 'node:crypto';
import {
  startCoinbaseServer,
  type CoinbaseServer,
} from '../../packages/server/src/sync/testing/coinbase-server.ts';
import {
  startEthereumNode,
  type EthereumNode,
} from '../../packages/server/src/sync/testing/ethereum-node.ts';
import {
  exampleAddress,
  exampleCoinbaseCredentials,
  exampleKrakenCredentials,
} from '../../packages/server/src/sync/testing/example-credentials.ts';
import {
  startKrakenServer,
  type KrakenServer,
} from '../../packages/server/src/sync/testing/kraken-server.ts';
import {
  startPriceServer,
  type PriceServer,
} from '../../packages/server/src/sync/testing/price-server.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import type { CryptoCredentials } from '../../packages/server/src/outside/credentials.ts';
import type { User } from './service-books.ts';
import { linkSealed } from './synced-accounts.ts';

export interface Providers {
  readonly kraken: KrakenServer;
  readonly coinbase: CoinbaseServer;
  readonly ethereum: EthereumNode;
  readonly prices: PriceServer;
  readonly flags: Readonly<
    Record<'krakenUrl' | 'coinbaseUrl' | 'ethereumRpcUrl' | 'pricesUrl', string>
  >;
  readonly environment: Readonly<Record<'ENCRYPTION_KEY', string>>;
  /** Texts that no response may contain. */
  readonly secrets: readonly string[];
  add(engine: Engine, user: User, provider: ProviderName): Promise<number>;
  close(): Promise<void>;
}

export type ProviderName = CryptoCredentials['provider'];

/** The time of the prices, not at a full minute. */
export const pricedAt = '2026-11-21T08:00:07.000Z';

export const addedAt = '2026-03-15T00:30:00.000Z';

/** The holdings as in the API: symbol, balance and value in euros, ordered by symbol. */
export const held: Readonly<Record<ProviderName, readonly (readonly [string, string, number])[]>> =
  {
    kraken: [['btc', '0.100020003000000000', 6231.2862]],
    coinbase: [
      ['btc', '1.000000000000000000', 62_300.4],
      ['eth', '12.004500000000000000', 24_009],
    ],
    ethereum: [['eth', '1.000000000000000001', 2000]],
  };

export async function startProviders(): Promise<Providers> {
  const coinbaseKey = exampleCoinbaseCredentials();
  const credentials: Readonly<Record<ProviderName, CryptoCredentials>> = {
    kraken: exampleKrakenCredentials(),
    coinbase: coinbaseKey.credentials,
    ethereum: { provider: 'ethereum', address: exampleAddress },
  };
  const key = randomBytes(32);
  const [kraken, coinbase, ethereum, prices] = await Promise.all([
    startKrakenServer({ ...exampleKrakenCredentials(), balances: { XXBT: '0.1000200030' } }),
    startCoinbaseServer({
      ...coinbaseKey.credentials,
      publicKey: coinbaseKey.publicKey,
      balances: { ETH: '12.0045', BTC: '1' },
    }),
    startEthereumNode({ balances: { [exampleAddress]: 10n ** 18n + 1n } }),
    startPriceServer({
      prices: { bitcoin: { eur: '62300.4' }, ethereum: { eur: '2000' } },
      updatedAt: Date.parse(pricedAt) / 1000,
      assetOf: (id) => (id.startsWith('cardano-') ? { id, symbol: id, name: id } : undefined),
    }),
  ]);
  const all = [kraken, coinbase, ethereum, prices];
  return {
    kraken,
    coinbase,
    ethereum,
    prices,
    flags: {
      krakenUrl: kraken.url,
      coinbaseUrl: coinbase.url,
      ethereumRpcUrl: ethereum.url,
      pricesUrl: prices.url,
    },
    environment: { ENCRYPTION_KEY: key.toString('hex') },
    secrets: [
      key.toString('hex'),
      key.toString('base64'),
      ...Object.values(credentials)
        .filter(({ provider }) => provider !== 'ethereum')
        .flatMap(({ provider: _, ...rest }) => Object.values(rest)),
    ],
    add: (engine, { bookId, name }, provider) =>
      linkSealed(engine, key, bookId, credentials[provider], `The ${provider} of ${name}`),
    close: async () => {
      await Promise.all(all.map((each) => each.close()));
    },
  };
}
