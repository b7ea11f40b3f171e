/** Where synced crypto balances come from, in the order of the wire's own list. */
export const cryptoProviders = ['kraken', 'coinbase', 'ethereum'] as const;
export type CryptoProvider = (typeof cryptoProviders)[number];

/**
 * How the connection to a provider stands.
 *
 * `initializing`: never read yet. `active`: the last reading succeeded, or failed in a way that passes. `relink`: the
 * provider refused the key. `unsupported`: the provider's answer was not understood.
 */
export type CryptoStatus = 'active' | 'unsupported' | 'relink' | 'initializing';

/** What a provider has to be told; kept encrypted, and shown to nobody once it is stored. */
export type CryptoCredentials =
  | { readonly provider: 'ethereum'; readonly address: string }
  | { readonly provider: 'kraken'; readonly apiKey: string; readonly privateKey: string }
  | { readonly provider: 'coinbase'; readonly keyName: string; readonly privateKey: string };

/** How much of one asset an account holds. */
export interface CryptoHolding {
  /** Lower-case letters and digits, 1 to 25 characters, unique within a reading: `btc`. */
  readonly symbol: string;
  /** What the wire shows as the name, 1 to 45 characters: `BTC`. */
  readonly name: string;
  /** A decimal text with exactly 18 places, such as `0.100020003000400050`. */
  readonly quantity: string;
  /** The price source's id of the asset; null when it is not known. */
  readonly coingeckoId: string | null;
}

/** A holding with its worth. */
export interface CryptoBalance extends CryptoHolding {
  /** Ten-thousandths of the book's primary currency, an integer within ±(2^53 − 1); null without a price. */
  readonly toBase: number | null;
  /** When the price was made, ISO 8601 in UTC; null without a price. */
  readonly priceAsOfIso: string | null;
}

/** Everything that one refresh learnt. It replaces all balances of the account at once. */
export interface CryptoReading {
  /** When the provider answered, ISO 8601 in UTC. */
  readonly readAtIso: string;
  readonly balances: readonly CryptoBalance[];
}

/** A balance as the book keeps it. */
export interface StoredCryptoBalance extends CryptoBalance {
  readonly balanceAsOfIso: string;
  readonly updatedAtIso: string;
}

/** A connection to a provider, with the balances of the last reading that succeeded, ordered by symbol. */
export interface CryptoAccount {
  readonly id: number;
  readonly provider: CryptoProvider;
  readonly status: CryptoStatus;
  readonly displayName: string | null;
  readonly createdByName: string;
  readonly createdAtIso: string;
  readonly updatedAtIso: string;
  /** When a reading last succeeded; null before the first. */
  readonly lastImportIso: string | null;
  readonly balances: readonly StoredCryptoBalance[];
}

/** A connection to be made. */
export interface NewCryptoAccount {
  readonly provider: CryptoProvider;
  readonly displayName: string | null;
  readonly sealedCredentials: Uint8Array;
  readonly nowIso: string;
}

/** Reads an account anew from its provider. */
export interface CryptoRefresher {
  /**
   * Reads balances and prices and stores them whole; null when the book has no such account.
   *
   * Refreshes of one account at the same time share one call to the provider and its outcome. When the provider fails,
   * the last balances stay, the status becomes what {@link CryptoStatus} says, and the promise rejects with a
   * {@link CryptoRefreshError}.
   */
  refresh(book: { id: number; primaryCurrency: string }, id: number): Promise<CryptoAccount | null>;
}

/**
 * Why a provider could not be read.
 *
 * `unreachable`: no connection, or an answer of 5xx. `timeout`: nothing whole within 5 s. `rateLimited`: it asks us to
 * wait. `refused`: it does not take the key. `nonsense`: an answer that the protocol does not have. `unconfigured`: this
 * service was not told what it needs to ask.
 */
export type CryptoRefreshReason =
  'unreachable' | 'timeout' | 'rateLimited' | 'refused' | 'nonsense' | 'unconfigured';

/** A provider could not be read; the account keeps its balances. The message is for the caller, without secrets. */
export class CryptoRefreshError extends Error {
  override name = 'CryptoRefreshError';
  readonly reason: CryptoRefreshReason;
  /** Whole seconds that the provider asks to wait; null when it says nothing. */
  readonly retryAfterSeconds: number | null;

  constructor(
    reason: CryptoRefreshReason,
    message: string,
    retryAfterSeconds: number | null = null,
  ) {
    super(message);
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
