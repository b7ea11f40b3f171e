import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { sealCredentials } from '../../outside/credentials.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import { createCryptoReader } from '../crypto/reader.ts';
import type {
  CryptoReader,
  CryptoReaderOptions,
  ProviderSettings,
  ReadRequest,
} from '../crypto/reader.ts';
import type { CryptoProvider } from '../crypto/rules.ts';
import { startCoinbaseServer } from './coinbase-server.ts';
import { startEthereumNode } from './ethereum-node.ts';
import {
  exampleAddress,
  exampleCoinbaseCredentials,
  exampleKrakenCredentials,
} from './example-credentials.ts';
import { startKrakenServer } from './kraken-server.ts';
import { startPriceServer } from './price-server.ts';

export const bookId = 7;
export const encryptionKey = randomBytes(32);
const coinbaseKey = exampleCoinbaseCredentials();
export const credentials = {
  kraken: exampleKrakenCredentials(),
  coinbase: coinbaseKey.credentials,
  ethereum: { provider: 'ethereum', address: exampleAddress },
} as const;
const at = (usd: string) => ({ usd });
export const prices = { bitcoin: at('65000.1'), ethereum: at('3000'), solana: at('150') };
export const priceIso = '2026-11-21T09:59:00.000Z';
/** The time of the scene's clock, which does not move. */
export const nowIso = '2026-11-21T10:00:00.000Z';

/** All providers and the price source on the loopback, with a reader that uses them. */
export interface Scene {
  readonly servers: Awaited<ReturnType<typeof startServers>>;
  readonly settings: ProviderSettings;
  readonly warnings: { readonly details: object; readonly message: string }[];
  reader(options?: Partial<CryptoReaderOptions>): CryptoReader;
  /** A request for the book in US dollars, without known balances; its nonce is higher than all before. */
  request(provider: CryptoProvider, rest?: Partial<ReadRequest>): ReadRequest;
  close(): Promise<unknown>;
}

async function startServers() {
  const { keyName } = coinbaseKey.credentials;
  return {
    kraken: await startKrakenServer({ ...credentials.kraken, balances: { XXBT: '0.5', NEW: '3' } }),
    coinbase: await startCoinbaseServer({
      keyName,
      publicKey: coinbaseKey.publicKey,
      balances: { SOL: { available: '1', hold: '1' } },
      now: () => Date.parse(nowIso),
    }),
    ethereum: await startEthereumNode({ balances: { [exampleAddress]: 10n ** 18n } }),
    prices: await startPriceServer({ prices, updatedAt: Date.parse(priceIso) / 1000 }),
  };
}

export async function startScene(): Promise<Scene> {
  const servers = await startServers();
  const settings = {
    encryptionKey,
    ethereumRpcUrl: servers.ethereum.url,
    krakenUrl: servers.kraken.url,
    coinbaseUrl: servers.coinbase.url,
    pricesUrl: servers.prices.url,
  };
  const warnings: Scene['warnings'] = [];
  const options: CryptoReaderOptions = {
    providers: settings,
    now: () => Date.parse(nowIso),
    log: { warn: (details, message) => warnings.push({ details, message }) },
    timeoutMs: 20_000,
  };
  let nonce = BigInt(Date.parse(nowIso)) * 1000n;
  return {
    servers,
    settings,
    warnings,
    reader: (rest = {}) => createCryptoReader({ ...options, ...rest }),
    request: (provider, rest = {}) => ({
      bookId,
      provider,
      sealedCredentials: sealCredentials(encryptionKey, bookId, credentials[provider]),
      currency: 'usd',
      known: [],
      nonce: (nonce += 1n),
      ...rest,
    }),
    close: () => Promise.all(Object.values(servers).map((server) => server.close())),
  };
}

export async function failureOf(reading: Promise<unknown>): Promise<CryptoRefreshError> {
  const error: unknown = await reading.then(
    () => assert.fail('the reading succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof CryptoRefreshError, inspect(error));
  return error;
}
