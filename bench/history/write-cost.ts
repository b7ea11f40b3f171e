import { join } from 'node:path';
import { formatAmount } from '@coffer/core/money';
import {
  postgresPrograms,
  startPostgres,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import { importEntries, openDatabase, parseDatabase } from '../../packages/server/src/main.ts';
import { benchEntries } from '../measure/book.ts';
import { medianRatio } from '../pages.ts';
import { durable, makeToken, settle } from '../postgres/postgres.ts';
import { processorTimeMs } from '../measure/processor-time.ts';
import type { Figure } from '../report/figure.ts';
import { onlyBook } from '../measure/walks.ts';
import { startApp } from '../measure/bench-app.ts';
import type { Send } from '../measure/bench-app.ts';
import { droppingLog, withoutLog } from './without-log.ts';

const rowsBefore = 20_000;
const rowsInRequest = 500;
/** The processor time of another process is known in units of 10 ms. */
const plans = { own: { requests: 1, rounds: 60 }, database: { requests: 12, rounds: 7 } };
const warmUp = 2;
const kinds = ['insert', 'update to one value', 'update to own values', 'delete'] as const;
const logs = ['with', 'without'] as const;

type Kind = (typeof kinds)[number];
/** Processor time of the requests of a round in milliseconds, one value for each round. */
type Samples = Record<(typeof logs)[number], Record<Kind, number[]>>;

/**
 * Compares requests that insert, update and delete 500 transactions with the same requests without a change log. Rows
 * that are updated to one value share a line of the log; each row with its own values has its own line. The unit is the
 * processor time of the process, and of the database server.
 */
export async function measureWriteCost(folder: string): Promise<Figure[]> {
  const url = `sqlite:${join(folder, 'write-cost.db')}`;
  const figures = figuresOf('', await measure(url, plans.own, () => 0));
  if (postgresPrograms() === null || process.platform !== 'linux') return figures;
  const server = await startPostgres(durable);
  try {
    const url = await server.newDatabase();
    const samples = await measure(url, plans.database, () =>
      processorTimeMs(server.process.pid ?? 0),
    );
    return [...figures, ...figuresOf('PostgreSQL: ', samples)];
  } finally {
    await server.stop();
  }
}

function forEachKind<T>(make: () => T): Record<Kind, T> {
  return Object.fromEntries(kinds.map((kind) => [kind, make()])) as Record<Kind, T>;
}

function figuresOf(engine: string, { with: logged, without }: Samples): Figure[] {
  return kinds.map((kind) => ({
    name: `${engine}${kind} of 500 against one without change log`,
    value: medianRatio(logged[kind], without[kind]),
    unit: 'times',
    ...(kind !== 'delete' && { atMost: 1.15 }),
  }));
}

async function measure(
  url: string,
  { requests, rounds }: typeof plans.own,
  databaseMs: () => number,
): Promise<Samples> {
  const engine = await openDatabase(parseDatabase(url));
  const token = await makeToken(engine);
  const { id } = await onlyBook(engine);
  const plan = { entries: () => benchEntries(rowsBefore), defaultAccount: null, dryRun: false };
  await importEntries(engine, id, plan);
  if (url.startsWith('postgres')) await settle(url);
  const sends = { with: startApp(engine, token), without: startApp(droppingLog(engine), token) };
  const samples: Samples = {
    with: forEachKind<number[]>(() => []),
    without: forEachKind<number[]>(() => []),
  };
  for (let round = -warmUp; round < rounds; round += 1) {
    // Each is the first in turn.
    for (const log of round % 2 === 0 ? logs : logs.toReversed()) {
      const run = () => runRound(sends[log], requests, databaseMs);
      const costs = await (log === 'with' ? run() : withoutLog(run));
      if (round >= 0) for (const kind of kinds) samples[log][kind].push(costs[kind]);
    }
  }
  await engine.close();
  return samples;
}

/** Inserts, updates and deletes transactions. Returns the processor time of each kind. */
async function runRound(
  send: Send,
  requests: number,
  databaseMs: () => number,
): Promise<Record<Kind, number>> {
  const entries = [...benchEntries(rowsInRequest)];
  const { category_id, manual_account_id } = rowsOf(
    await send('GET', '/v2/transactions?limit=1'),
  )[0]!;
  const inserted: number[][] = [];
  const works: Record<Kind, () => Promise<void>> = {
    insert: async () => {
      const transactions = entries.map(({ date, amount, payee, notes }) => ({
        ...{ date, amount: formatAmount(-amount), payee, notes, category_id, manual_account_id },
      }));
      const made = rowsOf(await send('POST', '/v2/transactions', { transactions }));
      inserted.push(made.map(({ id }) => id));
    },
    'update to one value': async () => {
      const ids = inserted.shift()!;
      await send('PUT', '/v2/transactions', {
        transactions: ids.map((id) => ({ id, status: 'reviewed' })),
      });
      inserted.push(ids);
    },
    'update to own values': async () => {
      const ids = inserted.shift()!;
      const transactions = ids.map((id, at) => ({ id, amount: at, notes: `Note ${at}` }));
      await send('PUT', '/v2/transactions', { transactions });
      inserted.push(ids);
    },
    delete: async () => {
      await send('DELETE', '/v2/transactions', { ids: inserted.shift() });
    },
  };
  const costs = forEachKind(() => 0);
  for (const kind of kinds) {
    const [before, databaseBefore] = [process.cpuUsage(), databaseMs()];
    for (let each = 0; each < requests; each += 1) await works[kind]();
    const { user, system } = process.cpuUsage(before);
    costs[kind] = (user + system) / 1000 + databaseMs() - databaseBefore;
  }
  return costs;
}

interface Row {
  readonly id: number;
  readonly category_id: number;
  readonly manual_account_id: number;
}

function rowsOf(text: string): Row[] {
  return (JSON.parse(text) as { transactions: Row[] }).transactions;
}
