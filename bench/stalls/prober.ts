/* Probes a server in a thread of its own, which the reading of large bodies does not delay. */
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { sendTo, type Reply, type SendAs } from './client.ts';

/** What a probe saw since the last call. */
export interface Probed {
  /** The milliseconds of each response. */
  readonly ms: number[];
  readonly refused: number;
}

export type ProbeName = 'me' | 'healthz' | 'write';

interface Probe {
  readonly everyMs: number;
  readonly send: (send: SendAs) => Promise<Reply>;
}

const entry = { date: '2026-10-01', amount: '1.00', payee: 'Probe' };

const probes: Readonly<Record<ProbeName, Probe>> = {
  me: { everyMs: 4, send: (send) => send('GET', '/v2/me') },
  healthz: { everyMs: 20, send: (send) => send('GET', '/healthz') },
  write: {
    everyMs: 100,
    send: (send) => send('POST', '/v2/transactions', { transactions: [entry] }),
  },
};

const names = Object.keys(probes) as ProbeName[];
const { port, token } = workerData as { readonly port: number; readonly token: string };
const seen = new Map<ProbeName, { ms: number[]; refused: number }>();
/** When the request of a probe that is under way was sent. */
const since = new Map<ProbeName, number>();

function reset(): void {
  for (const name of names) seen.set(name, { ms: [], refused: 0 });
}

async function run(name: ProbeName): Promise<void> {
  const { everyMs, send } = probes[name];
  const client = sendTo(port, token);
  for (;;) {
    const sentMs = performance.now();
    since.set(name, sentMs);
    const status = await send(client)
      .then((reply) => reply.status)
      .catch(() => 0);
    since.delete(name);
    const tookMs = performance.now() - sentMs;
    const found = seen.get(name)!;
    found.ms.push(tookMs);
    if (status < 200 || status >= 300) found.refused += 1;
    if (tookMs < everyMs) await delay(everyMs - tookMs);
  }
}

reset();
for (const name of names) void run(name);

/** The waits that began before now end first, so that each belongs to the request that caused it. */
async function settled(): Promise<void> {
  const askedMs = performance.now();
  while ([...since.values()].some((sentMs) => sentMs < askedMs)) await delay(1);
}

parentPort!.on('message', () => {
  void settled().then(() => {
    parentPort!.postMessage(Object.fromEntries(seen));
    reset();
  });
});
