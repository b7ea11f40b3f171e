/** The kinds of accounts whose balances have a history, in the order of lists. */
export const accountKinds = ['manual', 'plaid', 'crypto_manual', 'crypto_synced'] as const;
export type AccountKind = (typeof accountKinds)[number];

/** An existing account, or one asset of a synced crypto account. */
export interface HistorySource {
  readonly kind: AccountKind;
  readonly id: number;
  /** Of the asset, in lower case. For `crypto_synced` it selects one asset; without it, all of the account. */
  readonly symbol?: string | null;
}

/** An existing account, or one asset of a synced crypto account, with its balance. */
export interface BalanceSource extends HistorySource {
  readonly symbol: string | null;
  /** Ten-thousandths of `currency`; null if unknown, such as crypto without a price. */
  readonly balance: number | null;
  readonly currency: string;
  /** Ten-thousandths of the book's primary currency. */
  readonly toBase: number;
  /** The quantity of the asset with 18 decimals; null for other accounts. */
  readonly quantity: string | null;
  /** The day since which the account exists. */
  readonly openedOn: string;
  /** The day on which it was closed; null while it is open. */
  readonly closedOn: string | null;
}
