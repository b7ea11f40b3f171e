import type { Log } from '../../jobs/scheduler.ts';
import { connectionCredentials, type CryptoCredentials } from '../../outside/credentials.ts';
import type { PrivateTargets } from '../../outside/guarded-request.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import { readPrices, toAssetPrices } from '../prices/asset-source.ts';
import { withWorth, type CryptoBalance, type CryptoHolding, type Price } from '../prices/worth.ts';
import type { CryptoProvider, CryptoReading } from './rules.ts';

/** The URLs of the providers, and the key of the credentials. */
export interface ProviderSettings {
  /** 32 bytes that seal credentials; null when none was set. */
  readonly encryptionKey: Uint8Array | null;
  /** The JSON-RPC URL of an Ethereum node; null when none was set. */
  readonly ethereumRpcUrl: string | null;
  /** Such as `https://api.kraken.com`. */
  readonly krakenUrl: string;
  /** Such as `https://api.coinbase.com`. */
  readonly coinbaseUrl: string;
  /** Such as `https://api.coingecko.com/api/v3`; null to read no prices. */
  readonly pricesUrl: string | null;
}

/** One account to read. */
export interface ReadRequest {
  readonly bookId: number;
  readonly provider: CryptoProvider;
  readonly sealedCredentials: Uint8Array;
  /** A lower-case currency code. */
  readonly currency: string;
  /** The balances stored now, with `to_base` in `currency`. */
  readonly known: readonly CryptoBalance[];
  /** Greater than every nonce used before with this account; at least the microseconds since 1970. */
  readonly nonce: bigint;
}

/** Reads accounts from their providers. */
export interface CryptoReader {
  /**
   * Reads the balances of an account, then their prices.
   *
   * The caller ensures that no other reading of the account is running, on this node or another. Balances whose price
   * cannot be read keep their known price. Rejects with CryptoRefreshError, which contains no secret.
   */
  read(request: ReadRequest): Promise<CryptoReading>;
}

/** The settings of a reader. */
export interface CryptoReaderOptions {
  readonly providers: ProviderSettings;
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: () => number;
  /** Receives warnings that do not make a reading fail. */
  readonly log?: Pick<Log, 'warn'>;
  /** Private networks that the names of providers may lead to; none by default. */
  readonly privateTargets?: PrivateTargets;
  /** The time limit of the provider, and then of the price source; 5,000 by default. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 5000;

/** Creates a reader. It keeps no state, and loads the code of a provider when it first reads from it. */
export function createCryptoReader(options: CryptoReaderOptions): CryptoReader {
  const { providers, now = Date.now } = options;
  return {
    async read(request) {
      const { bookId, provider, sealedCredentials } = request;
      const key = providers.encryptionKey;
      const credentials = connectionCredentials(key, bookId, provider, sealedCredentials);
      const holdings = await readHoldings(options, credentials, request.nonce);
      const readAtIso = new Date(now()).toISOString();
      return { readAtIso, ...(await addWorth(options, holdings, request)) };
    },
  };
}

async function readHoldings(
  { providers, privateTargets, now = Date.now, timeoutMs = defaultTimeoutMs }: CryptoReaderOptions,
  credentials: CryptoCredentials,
  nonce: bigint,
): Promise<readonly CryptoHolding[]> {
  const way = { signal: AbortSignal.timeout(timeoutMs), privateTargets };
  switch (credentials.provider) {
    case 'kraken': {
      const { readKrakenHoldings } = await import('./kraken.ts');
      return readKrakenHoldings({ url: providers.krakenUrl, ...credentials, nonce, ...way });
    }
    case 'coinbase': {
      const { readCoinbaseHoldings } = await import('./coinbase.ts');
      return readCoinbaseHoldings({ url: providers.coinbaseUrl, ...credentials, now, ...way });
    }
    case 'ethereum': {
      const { ethereumRpcUrl: rpcUrl } = providers;
      if (rpcUrl === null) {
        throw new CryptoRefreshError(
          'unconfigured',
          'This service has no Ethereum node: set ETHEREUM_RPC_URL',
        );
      }
      const { readEthereumHoldings } = await import('./ethereum.ts');
      return readEthereumHoldings({ rpcUrl, address: credentials.address, ...way });
    }
  }
}

/** A price source that fails does not make the reading fail. */
async function addWorth(
  {
    providers,
    privateTargets,
    now = Date.now,
    log,
    timeoutMs = defaultTimeoutMs,
  }: CryptoReaderOptions,
  holdings: readonly CryptoHolding[],
  { currency, known }: ReadRequest,
): Promise<Omit<CryptoReading, 'readAtIso'>> {
  const { pricesUrl } = providers;
  if (pricesUrl === null) return { balances: withWorth(holdings, new Map(), known), prices: [] };
  const ids = [...new Set(holdings.flatMap(({ coingecko_id }) => coingecko_id ?? []))];
  const signal = AbortSignal.timeout(timeoutMs);
  let prices: ReadonlyMap<string, Price> = new Map();
  try {
    prices = await readPrices({ pricesUrl, ids, currency, nowMs: now(), signal, privateTargets });
  } catch (error) {
    if (!(error instanceof CryptoRefreshError)) throw error;
    const { reason, message } = error;
    log?.warn({ reason, detail: message }, 'Crypto prices could not be read');
  }
  return { balances: withWorth(holdings, prices, known), prices: toAssetPrices(prices) };
}
