import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ask, newAddress } from '../run/ask.ts';

const pauseMs = 5;

/** The server to read from. */
interface Target {
  readonly url: string;
  readonly token: string;
}

/** Reads that run in the background. */
export interface Reads {
  /** Resolves to the 99th percentile of read times since the last call. Rejects when a read failed. */
  percentile99Ms(): Promise<number>;
  end(): Promise<void>;
}

/** Reads from a server repeatedly in a separate thread, so that work in this thread does not delay the reads. */
export function startReads(target: Target): Reads {
  const worker = new Worker(new URL(import.meta.url), { workerData: target });
  const failed = once(worker, 'error').then(([error]) => Promise.reject(error as Error));
  failed.catch(() => undefined);
  return {
    percentile99Ms: async () => {
      const answered = once(worker, 'message');
      worker.postMessage('times');
      const [times] = (await Promise.race([answered, failed])) as [number[]];
      const sorted = times.toSorted((a, b) => a - b);
      return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
    },
    end: async () => {
      await worker.terminate();
    },
  };
}

async function readOnAndOn({ url, token }: Target): Promise<never> {
  let times: number[] = [];
  parentPort?.on('message', () => {
    parentPort?.postMessage(times);
    times = [];
  });
  for (;;) {
    const startedAtMs = performance.now();
    const { status } = await ask(`${url}/v2/transactions`, { token, from: newAddress() });
    if (status !== 200) throw new Error(`A read returned ${status}`);
    times.push(performance.now() - startedAtMs);
    await wait(pauseMs);
  }
}

if (!isMainThread) await readOnAndOn(workerData as Target);
