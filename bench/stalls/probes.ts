import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ProbeName, Probed } from './prober.ts';

/** What all probes saw, by their names. */
export type AllProbed = Readonly<Record<ProbeName, Probed>>;

/** Probes of a server that run until they are stopped. */
export interface Probes {
  /** Returns what they saw since the last call, also the responses that they wait for now. */
  readonly take: () => Promise<AllProbed>;
  readonly stop: () => Promise<unknown>;
}

/** Starts probes that send `GET /v2/me`, `GET /healthz` and an insert of one transaction with a token. */
export function startProbes(port: number, token: string): Probes {
  const worker = new Worker(new URL('prober.ts', import.meta.url), { workerData: { port, token } });
  return {
    take: async () => {
      worker.postMessage('take');
      return ((await once(worker, 'message')) as [AllProbed])[0];
    },
    stop: () => worker.terminate(),
  };
}

export function longest({ ms }: Probed): number {
  return ms.reduce((most, each) => Math.max(most, each), 0);
}
