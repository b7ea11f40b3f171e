/** Credentials for a provider; stored encrypted and never shown again. */
export type CryptoCredentials =
  | { readonly provider: 'ethereum'; readonly address: string }
  | { readonly provider: 'kraken'; readonly apiKey: string; readonly privateKey: string }
  | { readonly provider: 'coinbase'; readonly keyName: string; readonly privateKey: string };

/** What a bridge needs to know its client by; stored encrypted and never shown again. */
export interface BankCredentials {
  readonly provider: 'simplefin';
  /** An https URL with user name and password. */
  readonly accessUrl: string;
}

/** A secret that signs messages of a webhook, as it is sealed. */
export interface WebhookCredentials {
  readonly provider: 'webhook';
  /** `whsec_` and Base64. */
  readonly secret: string;
}

/** What a provider needs to know its client by, or a receiver of webhooks its sender. */
export type Credentials = CryptoCredentials | BankCredentials | WebhookCredentials;
