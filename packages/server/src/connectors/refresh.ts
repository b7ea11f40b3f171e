import { CryptoRefreshError } from '../records/crypto.ts';
import type {
  CryptoAccount,
  CryptoBalance,
  CryptoCredentials,
  CryptoHolding,
  CryptoReading,
  CryptoRefresher,
  CryptoRefreshReason,
  CryptoStatus,
} from '../records/crypto.ts';
import type { CryptoConnection, Store } from '../records/store.ts';
import type { Providers } from './providers.ts';

/** What the service was told about the providers. */
export interface ProviderSettings {
  /** 32 bytes that seal credentials; null when none was set. */
  readonly encryptionKey: Uint8Array | null;
  /** The JSON-RPC address of an Ethereum node; null when none was set. */
  readonly ethereumRpcUrl: string | null;
  /** Such as `https://api.kraken.com`. */
  readonly krakenUrl: string;
  /** Such as `https://api.coinbase.com`. */
  readonly coinbaseUrl: string;
  /** Such as `https://api.coingecko.com/api/v3`. */
  readonly pricesUrl: string;
}

/** Where the refresher tells what went wrong beside a refresh; a logger of Fastify's fits. */
export interface RefreshLog {
  /** Details first, then what happened. */
  warn(details: object, message: string): void;
}

/** What of the store a refresher needs. */
type CryptoStore = Pick<Store, 'findCryptoConnection' | 'saveCryptoReading' | 'setCryptoStatus'>;

/** What a refresher works with. */
export interface RefresherOptions {
  readonly store: CryptoStore;
  readonly providers: ProviderSettings;
  /** Milliseconds since 1970; the system's clock when not given. */
  readonly now?: () => number;
  readonly log?: RefreshLog;
  /** How long a provider, and then the price source, has for everything; 5,000 when not given. */
  readonly timeoutMs?: number;
}

type Book = Parameters<CryptoRefresher['refresh']>[0];

const defaultTimeoutMs = 5000;

/** What a failure says about the connection; a failure that is not here passes, and says nothing. */
const statusAfter: Partial<Record<CryptoRefreshReason, CryptoStatus>> = {
  refused: 'relink',
  nonsense: 'unsupported',
};

/** Makes what reads synced crypto accounts anew. What asks the providers is loaded when it is first needed. */
export function createCryptoRefresher(options: RefresherOptions): CryptoRefresher {
  const refresher = new Refresher(options);
  const flights = new Map<string, Promise<CryptoAccount | null>>();
  return {
    refresh(book, id) {
      const key = `${book.id}/${id}`;
      const underWay = flights.get(key);
      if (underWay !== undefined) return underWay;
      const flight = refresher.refresh(book, id).finally(() => flights.delete(key));
      flights.set(key, flight);
      return flight;
    },
  };
}

class Refresher {
  readonly #store: CryptoStore;
  readonly #settings: ProviderSettings;
  readonly #now: () => number;
  readonly #log: RefreshLog | undefined;
  readonly #timeoutMs: number;
  /** Made once, because what asks Kraken has to remember its last nonce. */
  #providers: Promise<Providers> | undefined;

  constructor({ store, providers, now, log, timeoutMs }: RefresherOptions) {
    this.#store = store;
    this.#settings = providers;
    this.#now = now ?? Date.now;
    this.#log = log;
    this.#timeoutMs = timeoutMs ?? defaultTimeoutMs;
  }

  async refresh(book: Book, id: number): Promise<CryptoAccount | null> {
    const connection = await this.#store.findCryptoConnection(book.id, id);
    if (connection === null) return null;
    let reading: CryptoReading;
    try {
      reading = await this.#read(book, connection);
    } catch (error) {
      if (await this.#noteFailure(book.id, id, error)) throw error;
      return null;
    }
    return this.#store.saveCryptoReading(book.id, id, reading);
  }

  async #read(book: Book, connection: CryptoConnection): Promise<CryptoReading> {
    const credentials = await this.#open(book.id, connection);
    this.#providers ??= this.#createProviders();
    const providers = await this.#providers;
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const holdings = await providers.readHoldings(credentials, signal);
    const readAtIso = this.#nowIso();
    return { readAtIso, balances: await this.#price(holdings, book.primaryCurrency) };
  }

  async #createProviders(): Promise<Providers> {
    const { createProviders } = await import('./providers.ts');
    return createProviders(this.#settings, this.#now);
  }

  async #open(bookId: number, connection: CryptoConnection): Promise<CryptoCredentials> {
    const { encryptionKey } = this.#settings;
    if (encryptionKey === null) {
      const message = 'This service has no encryption key to open the credentials with';
      throw new CryptoRefreshError('unconfigured', message);
    }
    const { openCredentials } = await import('./sealed-credentials.ts');
    const { provider, sealedCredentials } = connection;
    try {
      return openCredentials(encryptionKey, bookId, provider, sealedCredentials);
    } catch (error) {
      throw new CryptoRefreshError('unconfigured', (error as Error).message);
    }
  }

  /** A price source that fails costs the worth of the holdings, not the refresh. */
  async #price(holdings: readonly CryptoHolding[], currency: string): Promise<CryptoBalance[]> {
    const { readPrices, withWorth } = await import('./prices.ts');
    const ids = [...new Set(holdings.flatMap(({ coingeckoId }) => coingeckoId ?? []))];
    try {
      const prices = await readPrices({
        pricesUrl: this.#settings.pricesUrl,
        ids,
        currency,
        nowMs: this.#now(),
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      return withWorth(holdings, prices);
    } catch (error) {
      if (!(error instanceof CryptoRefreshError)) throw error;
      this.#log?.warn({ reason: error.reason, detail: error.message }, 'No prices of crypto');
      return withWorth(holdings, new Map());
    }
  }

  /** Whether the account is still there. Never rejects: the caller is to hear of the provider. */
  async #noteFailure(bookId: number, id: number, error: unknown): Promise<boolean> {
    const status = error instanceof CryptoRefreshError ? statusAfter[error.reason] : undefined;
    try {
      if (status !== undefined) {
        return await this.#store.setCryptoStatus(bookId, id, status, this.#nowIso());
      }
      return (await this.#store.findCryptoConnection(bookId, id)) !== null;
    } catch (err) {
      this.#log?.warn({ err, cryptoId: id }, 'The status of a crypto account could not be noted');
      return true;
    }
  }

  #nowIso(): string {
    return new Date(this.#now()).toISOString();
  }
}
