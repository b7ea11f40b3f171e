import { onBothEngines, settle } from '../measure/engines.ts';
import { cpuMs, medianRatio } from '../measure/processor-time.ts';
import { startApp, writesOf, type Writes } from '../measure/requests.ts';
import { openBook } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';
import { droppingLog, withoutLog } from './without-log.ts';

const rowsBefore = 20_000;
/** The processor time of another process is known in units of 10 ms. */
const plans = { own: { requests: 1, rounds: 60 }, database: { requests: 12, rounds: 7 } };
const warmUp = 2;
const kinds = ['insert', 'update to one value', 'update to own values', 'delete'] as const;
const logs = ['with', 'without'] as const;
type Kind = (typeof kinds)[number];

function forEachKind<T>(make: () => T): Record<Kind, T> {
  return Object.fromEntries(kinds.map((kind) => [kind, make()])) as Record<Kind, T>;
}

/**
 * Compares requests that insert, update and delete 500 transactions with the same requests without a change log. Rows
 * that are updated to one value share a line of the log; each row with its own values has its own line. The unit is the
 * processor time of the process, and of the database server.
 */
export function measureWriteCost(folder: string): Promise<Figure[]> {
  return onBothEngines(folder, async (url, engineName, serverPid) => {
    const { requests, rounds } = serverPid === null ? plans.own : plans.database;
    const { engine, token } = await openBook(url, rowsBefore);
    await settle(url);
    const writes = {
      with: await writesOf(startApp(engine, token)),
      without: await writesOf(startApp(droppingLog(engine), token)),
    };
    const samples = {
      with: forEachKind<number[]>(() => []),
      without: forEachKind<number[]>(() => []),
    };
    for (let round = -warmUp; round < rounds; round += 1) {
      // Each is the first in turn.
      for (const log of round % 2 === 0 ? logs : logs.toReversed()) {
        const run = () => runRound(writes[log], requests, serverPid);
        const costs = await (log === 'with' ? run() : withoutLog(run));
        if (round >= 0) for (const kind of kinds) samples[log][kind].push(costs[kind]);
      }
    }
    await engine.close();
    const prefix = engineName === 'SQLite' ? '' : `${engineName}: `;
    return kinds.map((kind) => ({
      name: `${prefix}${kind} of 500 against one without change log`,
      value: medianRatio(samples.with[kind], samples.without[kind]),
      unit: 'times',
      ...(kind !== 'delete' && { atMost: 1.15 }),
    }));
  });
}

async function runRound(
  { insert, update, remove }: Writes,
  requests: number,
  serverPid: number | null,
): Promise<Record<Kind, number>> {
  const inserted: number[][] = [];
  const inTurn = async (valuesOf: (at: number) => object): Promise<void> => {
    const ids = inserted.shift()!;
    await update(ids, valuesOf);
    inserted.push(ids);
  };
  const works: Record<Kind, () => Promise<unknown>> = {
    insert: async () => inserted.push(await insert(500)),
    'update to one value': () => inTurn(() => ({ status: 'reviewed' })),
    'update to own values': () => inTurn((at) => ({ amount: at, notes: `Note ${at}` })),
    delete: () => remove(inserted.shift()!),
  };
  const costs = forEachKind(() => 0);
  for (const kind of kinds)
    costs[kind] = await cpuMs(async () => {
      for (let each = 0; each < requests; each += 1) await works[kind]();
    }, serverPid);
  return costs;
}
