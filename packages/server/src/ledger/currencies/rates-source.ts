import { boundedFetchBytes } from '../../outside/bounded-fetch.ts';
import type { WayOut } from '../../outside/bounded-fetch.ts';

const who = 'The source of exchange rates';

/**
 * Reads the file at an http or https URL: at most 1 MiB, without following redirects.
 *
 * Rejects with a CryptoRefreshError that does not contain the URL.
 */
export function readRatesFile(url: string, way: WayOut): Promise<Uint8Array> {
  const headers = { accept: 'text/csv, application/zip, */*' };
  return boundedFetchBytes({ ...way, who, method: 'GET', url: new URL(url), headers });
}
