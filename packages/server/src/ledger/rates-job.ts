import type { PrivateTargets } from '../outside/guarded-request.ts';
import { readRatesFile } from './currencies/rates-source.ts';
import { parseRates } from './currencies/actions.ts';
import type { Job } from '../book/job.ts';
import { importRates } from './import-rates.ts';

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
