import { isStorable } from '@coffer/core/text';
import type { BankReading, DayRange } from './rules.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import { boundedFetch, nonsense } from '../../outside/bounded-fetch.ts';
import type { WayOut } from '../../outside/bounded-fetch.ts';
import { parseJsonLiterals } from '../../outside/json.ts';
import { isPrivateHost } from '../../outside/private-host.ts';
import { readAccounts } from './simplefin-accounts.ts';

const who = 'The SimpleFIN bridge';
/** A reading of many accounts over three months. */
const maxBytes = 16 * 1024 * 1024;
const dayMs = 86_400_000;

/**
 * Exchanges a setup token for an access URL, which has the user name and the password of the client.
 *
 * A setup token is the Base64 form of a URL, and can be used once. Rejects with CryptoRefreshError; `refused` when the
 * token was used before. An access URL in a private network must have the host and port of the setup token, and no
 * public name may lead into one.
 *
 * Source: SimpleFIN protocol 1.0, "POST /claim/:token".
 */
export async function claimAccess(setupToken: string, way: WayOut): Promise<string> {
  const url = secureUrl(Buffer.from(setupToken.trim(), 'base64').toString());
  if (url === null) throw nonsense('The user', 'a setup token is the Base64 form of an https URL');
  const text = await boundedFetch({ ...way, who, method: 'POST', url });
  const access = secureUrl(text.trim());
  if (access === null || access.username === '')
    throw nonsense(who, 'the access URL is not an https URL with a user name');
  // Otherwise a bridge could make Coffer send requests into the network that it runs in.
  if (access.host !== url.host && isPrivateHost(access.hostname))
    throw nonsense(who, 'the access URL is in a private network');
  return text.trim();
}

/** What to read from a bridge. */
export interface SimplefinRequest extends WayOut {
  readonly accessUrl: string;
  readonly range: DayRange;
  readonly nowMs: number;
}

/**
 * Reads all accounts with their transactions of a range of days, pending ones included.
 *
 * Source: SimpleFIN protocol 1.0, "GET /accounts".
 */
export async function readSimplefin(request: SimplefinRequest): Promise<BankReading> {
  const { accessUrl, range, nowMs, ...way } = request;
  const base = secureUrl(accessUrl);
  if (base === null) throw new CryptoRefreshError('unconfigured', `${who} has no https URL`);
  const url = new URL(base);
  const credentials = `${decodeURIComponent(base.username)}:${decodeURIComponent(base.password)}`;
  url.username = url.password = '';
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/accounts`;
  url.searchParams.set('start-date', String(Date.parse(range.from) / 1000));
  // Exclusive.
  url.searchParams.set('end-date', String((Date.parse(range.to) + dayMs) / 1000));
  url.searchParams.set('pending', '1');
  const headers = { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  const text = await boundedFetch({ ...way, who, method: 'GET', url, headers, maxBytes });
  return readAccounts(who, parseJsonLiterals(who, text), nowMs);
}

/** Returns an https URL, or an http URL of this machine; null for any other text. */
function secureUrl(text: string): URL | null {
  const url = isStorable(text) ? URL.parse(text) : null;
  if (url?.protocol === 'https:') return url;
  const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(url?.hostname ?? '');
  return url?.protocol === 'http:' && isLocal ? url : null;
}
