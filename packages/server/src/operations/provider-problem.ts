import type { CryptoRefreshError } from '../outside/provider-error.ts';
import { Problem } from './problem.ts';

/** Returns the response to a request for which a provider failed, not this service; the caller gets the reason. */
export function providerProblem(cause: CryptoRefreshError): Problem {
  const { reason, message, retryAfterSeconds } = cause;
  const seconds = String(Math.max(1, retryAfterSeconds ?? 0));
  const headers = retryAfterSeconds === null ? {} : { 'retry-after': seconds };
  const kind = reason === 'timeout' ? 'gatewayTimeout' : 'badGateway';
  return new Problem(kind, { headers, details: [{ errMsg: message, reason }], cause });
}
