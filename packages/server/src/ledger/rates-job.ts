import type { PrivateTargets } from '../outside/guarded-request.ts';
import { parseRates } from './currencies/ecb.ts';
import type { Job } from '../book/job.ts';
import { importRates } from './import-rates.ts';
import { boundedFetchBytes, type WayOut } from '../outside/bounded-fetch.ts';

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

/** The European Central Bank publishes rates on working days, at about 16:00 in Frankfurt. */
const everyMs = 4 * 60 * 60_000;
const timeoutMs = 30_000;

/** Reads the file of exchange rates at a URL, and updates the values of all books. */
export function ratesJob(url: string, privateTargets?: PrivateTargets): Job {
  return {
    name: 'rates',
    everyMs,
    run: async (engine, _nowMs, signal) => {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const file = await readRatesFile(url, { signal: inTime, privateTargets });
      const { rates } = parseRates(file);
      await importRates(engine, { files: [rates], source: 'url', actor: 'job', signal });
    },
  };
}
