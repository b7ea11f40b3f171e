import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ask, newAddress } from '../run/ask.ts';

const pauseMs = 5;

/** Whom to read from. */
interface Target {
  readonly url: string;
  readonly token: string;
}

/** Reads that go on beside something else. */
export interface Reads {
  /** How long 99 of 100 reads took at most since this was asked last. Rejects when one failed. */
  percentile99Ms(): Promise<number>;
  end(): Promise<void>;
}

/** Reads from a server again and again, in a thread of its own, which what goes on here does not hold up. */
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
    if (status !== 200) throw new Error(`A read was answered with ${status}`);
    times.push(performance.now() - startedAtMs);
    await wait(pauseMs);
  }
}

if (!isMainThread) await readOnAndOn(workerData as Target);
