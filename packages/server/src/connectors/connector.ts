import type { CryptoCredentials, CryptoHolding, CryptoProvider } from '../records/crypto.ts';

/** What one provider has to be told. */
export type CredentialsOf<P extends CryptoProvider> = Extract<CryptoCredentials, { provider: P }>;

/** Reads the holdings of one account from one provider. */
export interface Connector<P extends CryptoProvider> {
  /**
   * What the account holds now, ordered by symbol, without fiat money and without what is zero.
   *
   * The signal ends it. Rejects with a CryptoRefreshError, which holds no secret.
   */
  readHoldings(
    credentials: CredentialsOf<P>,
    signal: AbortSignal,
  ): Promise<readonly CryptoHolding[]>;
}
