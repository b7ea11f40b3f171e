import { onBothEngines, settle } from '../measure/engines.ts';
import { cpuMs } from '../measure/processor-time.ts';
import { startApp, writesOf, type Writes } from '../measure/requests.ts';
import { measureInTurns } from '../measure/turns.ts';
import { openBook } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';
import { droppingLog, withoutLog } from './without-log.ts';

const rowsBefore = 20_000;
/** The processor time of another process is known in units of 10 ms. */
const plans = { own: { requests: 1, rounds: 60 }, database: { requests: 12, rounds: 7 } };
const kinds = ['insert', 'update to one value', 'update to own values', 'delete'] as const;
type Kind = (typeof kinds)[number];

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
    const usual = await writesOf(startApp(engine, token));
    const bare = await writesOf(startApp(droppingLog(engine), token));
    const samples = await measureInTurns(
      {
        'with ': () => runRound(usual, requests, serverPid),
        'without ': () => withoutLog(() => runRound(bare, requests, serverPid)),
      },
      { rounds, warmUps: 2 },
    );
    await engine.close();
    const prefix = engineName === 'SQLite' ? '' : `${engineName}: `;
    return kinds.map((kind) => {
      const name = `${prefix}${kind} of 500 against one without change log`;
      const atMost = kind === 'delete' ? undefined : 1.15;
      return samples.times(name, `with ${kind}`, `without ${kind}`, { atMost });
    });
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
  const costs = {} as Record<Kind, number>;
  for (const kind of kinds)
    costs[kind] = await cpuMs(async () => {
      for (let each = 0; each < requests; each += 1) await works[kind]();
    }, serverPid);
  return costs;
}
