import { join } from 'node:path';
import {
  postgresPrograms,
  startPostgres,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import { median, medianRatio } from '../pages.ts';
import { durable, settle } from '../postgres/postgres.ts';
import type { Figure } from '../report/figure.ts';
import { measureInTurns, perRequest } from '../measure/turns.ts';
import type { Measure, Samples } from '../measure/turns.ts';
import { fillBook, thisCheckout } from './checkout.ts';
import type { Checkout, Subject } from './checkout.ts';
import { readMeasures } from './reads.ts';
import { WriteRequests } from './writes.ts';

const sides = ['this', 'other'] as const;
const goals: Readonly<Record<string, number>> = {
  ...{ 'list of 1': 0.4, me: 0.6, 'PostgreSQL: list of 100': 0.7 },
};

type Sides<T> = Record<(typeof sides)[number], T>;

/** Measures the same requests of this checkout and of another one in turn, each with a database that it has filled. */
export async function measureAgainst(
  folder: string,
  other: Checkout,
  rows: number,
): Promise<Figure[]> {
  const checkouts = { this: thisCheckout, other };
  const url = (side: string): string => `sqlite:${join(folder, `${side}.db`)}`;
  const figures = await compare('', (side) =>
    startSubject(checkouts[side], { url: url(side), rows, databasePid: null }),
  );
  if (postgresPrograms() === null || process.platform !== 'linux') return figures;
  const postgres = await startPostgres(durable);
  try {
    const databasePid = postgres.process.pid ?? 0;
    const ofPostgres = await compare('PostgreSQL: ', async (side) => {
      const url = await postgres.newDatabase();
      return startSubject(checkouts[side], { url, rows, databasePid });
    });
    return [...figures, ...ofPostgres];
  } finally {
    await postgres.stop();
  }
}

interface Database {
  readonly url: string;
  readonly rows: number;
  readonly databasePid: number | null;
}

async function startSubject(checkout: Checkout, database: Database): Promise<Subject> {
  const { url, rows, databasePid } = database;
  const token = await fillBook(checkout, url, rows);
  if (databasePid !== null) await settle(url);
  const server = await checkout.startServer('coffer.cjs', { BENCH_DATABASE: url });
  return { server, token, databasePid };
}

async function compare(
  engine: string,
  start: (side: (typeof sides)[number]) => Promise<Subject>,
): Promise<Figure[]> {
  const subjects: Sides<Subject> = { this: await start('this'), other: await start('other') };
  try {
    const measures = { this: measuresOf(subjects.this), other: measuresOf(subjects.other) };
    const names = Object.keys(measures.this);
    const inTurn = names.flatMap((name) =>
      sides.map((side): [string, Measure] => [`${side} ${name}`, measures[side][name]!]),
    );
    return figuresOf(engine, names, await measureInTurns(Object.fromEntries(inTurn)));
  } finally {
    for (const side of sides) await subjects[side].server.stop();
  }
}

/** On PostgreSQL only lists, because the time of its processes is known in units of 10 ms. */
function measuresOf(subject: Subject): Record<string, Measure> {
  if (subject.databasePid === null)
    return { ...readMeasures(subject), ...new WriteRequests(subject).measures() };
  const list = (limit: number): Measure =>
    perRequest({ ...subject, paths: [`/v2/transactions?limit=${limit}`], requests: 600 });
  return { 'list of 1': list(1), 'list of 100': list(100), 'list of 1000': list(1000) };
}

function figuresOf(engine: string, names: readonly string[], samples: Samples): Figure[] {
  const of = (side: string, name: string): readonly number[] => samples.get(`${side} ${name}`)!;
  return names.flatMap((name): Figure[] => {
    const atMost = goals[`${engine}${name}`];
    return [
      {
        ...{ name: `${engine}${name} against the other checkout`, unit: 'times' },
        value: medianRatio(of('this', name), of('other', name)),
        ...(atMost !== undefined && { atMost }),
      },
      ...sides.map((side) => ({
        ...{ name: `${engine}${name}, ${side}`, value: median(of(side, name)), unit: 'ms' },
      })),
    ];
  });
}
