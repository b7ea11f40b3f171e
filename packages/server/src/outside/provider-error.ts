/**
 * Why a reading failed.
 *
 * `unreachable`: no connection, status 3xx, 404 or 5xx, or an HTML page. `timeout`: no whole response within 5 s.
 * `rateLimited`: it limits requests, or refused a nonce. `refused`: it refused the key. `unsupported`: it says, in its
 * own protocol, that it does not offer this account's balances. `nonsense`: a response outside its protocol.
 * `unconfigured`: this service lacks a setting.
 */
export type CryptoRefreshReason =
  | 'unreachable'
  | 'timeout'
  | 'rateLimited'
  | 'refused'
  | 'unsupported'
  | 'nonsense'
  | 'unconfigured';

/** A provider failed; the account keeps its balances. The message is for the caller, without secrets. */
export class CryptoRefreshError extends Error {
  override name = 'CryptoRefreshError';
  readonly reason: CryptoRefreshReason;
  /** Whole seconds to wait, as the provider requested; null when it did not. */
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
