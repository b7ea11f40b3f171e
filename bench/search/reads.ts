import { openDatabase, parseDatabase } from '../../packages/server/src/main.ts';
import { startApp } from '../measure/requests.ts';
import type { Figure } from '../report/figure.ts';
import { queries } from './queries.ts';

/** The responses of PostgreSQL take several times as long. */
const plans = { own: { rounds: 10, warmUp: 2 }, database: { rounds: 4, warmUp: 1 } };

/** The goals in milliseconds: for 100,000 rows, and for a million. */
const goals = [
  [100_000, 50],
  [1_000_000, 150],
] as const;

export interface SearchedBook {
  readonly url: string;
  readonly token: string;
  readonly rows: number;
}

/**
 * Measures requests that search and sum transactions of a book, each of them new, so that no total is remembered.
 *
 * The unit on SQLite is processor time, which varies less on a shared machine; on PostgreSQL it is the time of the
 * response. The 95th percentile is that of all requests of the mix.
 */
export async function measureReads({ url, token, rows }: SearchedBook): Promise<Figure[]> {
  const engine = await openDatabase(parseDatabase(url));
  const isOwn = url.startsWith('sqlite');
  const { rounds, warmUp } = isOwn ? plans.own : plans.database;
  const send = startApp(engine, token);
  const times = new Map<string, number[]>();
  for (let round = -warmUp; round < rounds; round += 1)
    for (const [name, query] of Object.entries(queries)) {
      const ms = await timed(() => send('GET', query(round + warmUp)), isOwn);
      if (round >= 0) times.set(name, [...(times.get(name) ?? []), ms]);
    }
  await engine.close();
  return figuresOf(
    `${isOwn ? '' : 'PostgreSQL: '}${rows.toLocaleString('en')} rows: `,
    times,
    rows,
  );
}

async function timed(work: () => Promise<unknown>, isOwn: boolean): Promise<number> {
  const [before, startedMs] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return isOwn ? (user + system) / 1000 : performance.now() - startedMs;
}

function figuresOf(engine: string, times: ReadonlyMap<string, number[]>, rows: number): Figure[] {
  const [, atMost] = goals.find(([most]) => rows <= most) ?? goals[1];
  const unit = 'ms';
  const all = [...times.values()].flat();
  const each = [...times].map(([name, values]) => ({
    ...{ name: `${engine}${name}`, value: percentile(values, 0.5), unit },
  }));
  return [
    ...each,
    { name: `${engine}95th percentile of all`, value: percentile(all, 0.95), unit, atMost },
  ];
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1]!;
}
