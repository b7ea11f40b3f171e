import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { CryptoRefreshError } from '../../records/crypto.ts';
import type { CryptoCredentials, CryptoRefresher } from '../../records/crypto.ts';
import { createCryptoRefresher } from '../refresh.ts';
import type { ProviderSettings, RefresherOptions } from '../refresh.ts';
import { sealCredentials } from '../sealed-credentials.ts';
import { startCoinbaseServer } from './coinbase-server.ts';
import { CryptoMemory } from './crypto-memory.ts';
import { startEthereumNode } from './ethereum-node.ts';
import {
  exampleAddress,
  exampleCoinbaseCredentials,
  exampleKrakenCredentials,
} from './example-credentials.ts';
import { startKrakenServer } from './kraken-server.ts';
import { startPriceServer } from './price-server.ts';

export const book = { id: 7, primaryCurrency: 'usd' };
/** The accounts of the book by their provider. */
export const ids = { kraken: 1, coinbase: 2, ethereum: 3 };
export const key = randomBytes(32);
export const kraken = exampleKrakenCredentials();
const coinbaseKey = exampleCoinbaseCredentials();
export const coinbase = coinbaseKey.credentials;
export const ethereum = { provider: 'ethereum', address: exampleAddress } as const;
export const priceIso = '2026-11-21T09:59:00.000Z';
const startIso = '2026-11-21T10:00:00.000Z';

interface Warning {
  readonly details: object;
  readonly message: string;
}

/** Every provider, and a book with an account at each. */
export interface Scene {
  readonly servers: Awaited<ReturnType<typeof startServers>>;
  readonly settings: ProviderSettings;
  /** New and full in each test. */
  store: CryptoMemory;
  warnings: Warning[];
  /** What the clock says; it stands still within a test. */
  nowMs: number;
  /** Forgets everything but the servers, and moves the clock on by a second. */
  reset(): void;
  add(bookId: number, id: number, credentials: CryptoCredentials): void;
  refresher(options?: Partial<RefresherOptions>): CryptoRefresher;
  close(): Promise<unknown>;
}

async function startServers(now: () => number) {
  const { keyName } = coinbase;
  const prices = { bitcoin: { usd: '65000.1' }, ethereum: { usd: '3000' }, solana: { usd: '150' } };
  return {
    kraken: await startKrakenServer({ ...kraken, balances: { XXBT: '0.5', NEW: '3' } }),
    coinbase: await startCoinbaseServer({
      keyName,
      publicKey: coinbaseKey.publicKey,
      balances: { SOL: { available: '1', hold: '1' } },
      now,
    }),
    ethereum: await startEthereumNode({ balances: { [exampleAddress]: 10n ** 18n } }),
    prices: await startPriceServer({ prices, updatedAt: Date.parse(priceIso) / 1000 }),
  };
}

/** Starts every provider on the loopback. */
export async function startScene(): Promise<Scene> {
  const servers = await startServers(() => scene.nowMs);
  const settings = {
    encryptionKey: key,
    ethereumRpcUrl: servers.ethereum.url,
    krakenUrl: servers.kraken.url,
    coinbaseUrl: servers.coinbase.url,
    pricesUrl: servers.prices.url,
  };
  const scene: Scene = {
    servers,
    settings,
    store: new CryptoMemory(),
    warnings: [],
    nowMs: Date.parse(startIso),
    reset() {
      // Kraken has seen the nonces of before.
      scene.nowMs += 1000;
      scene.store = new CryptoMemory();
      scene.warnings = [];
      scene.add(book.id, ids.kraken, kraken);
      scene.add(book.id, ids.coinbase, coinbase);
      scene.add(book.id, ids.ethereum, ethereum);
    },
    add(bookId, id, credentials) {
      const sealedCredentials = sealCredentials(key, bookId, credentials);
      const { provider } = credentials;
      scene.store.add(bookId, id, {
        provider,
        displayName: null,
        sealedCredentials,
        nowIso: startIso,
      });
    },
    refresher: (options = {}) => {
      const { store } = scene;
      const log = {
        warn: (details: object, message: string) => scene.warnings.push({ details, message }),
      };
      const now = () => scene.nowMs;
      return createCryptoRefresher({
        store,
        providers: settings,
        log,
        now,
        timeoutMs: 20_000,
        ...options,
      });
    },
    close: () => Promise.all(Object.values(servers).map((server) => server.close())),
  };
  return scene;
}

/** What a refresh that has to fail rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<CryptoRefreshError> {
  const error: unknown = await promise.then(
    () => assert.fail('it was refreshed'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof CryptoRefreshError, inspect(error));
  return error;
}
