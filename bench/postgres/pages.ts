import type { Engine } from '../../packages/server/src/main.ts';
import { startServer } from '../measure/child.ts';
import type { ServerProcess } from '../measure/child.ts';
import type { Figure } from '../report/figure.ts';
import { median, medianRatio } from '../pages.ts';
import { processorTimeMs } from '../measure/processor-time.ts';
import { measureInTurns, perRequest } from '../measure/turns.ts';
import type { Measure, Samples } from '../measure/turns.ts';
import { onlyBook, readPage } from '../measure/walks.ts';

/** These pages take most of a second; processor time is measured in units of 10 ms. */
const requests = 300;

/** A database with the benchmark's book, and the process of its server, if any. */
export interface Subject {
  readonly url: string;
  readonly token: string;
  readonly engine: Engine;
  readonly serverPid: number | null;
}

interface Subjects {
  readonly sqlite: Subject;
  readonly postgres: Subject;
  readonly depth: number;
}

/**
 * Measures pages of both engines in turn: from the store in this process, and over HTTP from another process. The
 * processor time of all processes of the database server is included.
 */
export async function measurePostgresPages({
  sqlite,
  postgres,
  depth,
}: Subjects): Promise<Figure[]> {
  const servers = await Promise.all([startCoffer(sqlite), startCoffer(postgres)]);
  const [ofSqlite, ofPostgres] = servers;
  const measures = {
    'store SQLite': fromStore(sqlite, 0),
    'store PostgreSQL': fromStore(postgres, 0),
    'store PostgreSQL deep': fromStore(postgres, depth),
    'HTTP SQLite': overHttp(sqlite, ofSqlite, 0, 1000),
    'HTTP PostgreSQL': overHttp(postgres, ofPostgres, 0, 1000),
    'HTTP PostgreSQL deep': overHttp(postgres, ofPostgres, depth, 1000),
    'HTTP SQLite 100': overHttp(sqlite, ofSqlite, 0, 100),
    'HTTP PostgreSQL 100': overHttp(postgres, ofPostgres, 0, 100),
  };
  try {
    return figuresOf(await measureInTurns(measures));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function startCoffer({ url }: Subject): Promise<ServerProcess> {
  return startServer('coffer.cjs', { BENCH_DATABASE: url });
}

function fromStore({ engine, serverPid }: Subject, offset: number): Measure {
  return async () => {
    const { id } = await onlyBook(engine);
    const serverMs = serverTime(serverPid);
    const before = process.cpuUsage();
    for (let request = 0; request < requests; request += 1)
      await readPage(engine, id, 1000, offset);
    const { user, system } = process.cpuUsage(before);
    return ((user + system) / 1000 + serverTime(serverPid) - serverMs) / requests;
  };
}

function overHttp(
  { token, serverPid: databasePid }: Subject,
  server: ServerProcess,
  offset: number,
  limit: number,
): Measure {
  const paths = [`/v2/transactions?limit=${limit}&offset=${offset}`];
  return perRequest({ server, token, paths, requests, databasePid });
}

function serverTime(pid: number | null): number {
  return pid === null ? 0 : processorTimeMs(pid);
}

function figuresOf(samples: Samples): Figure[] {
  const of = (name: string): readonly number[] => samples.get(name) ?? [];
  const ratio = (name: string, above: string, below: string, atMost: number): Figure => ({
    name: `PostgreSQL: ${name}`,
    value: medianRatio(of(above), of(below)),
    unit: 'times',
    atMost,
  });
  return [
    ratio('page against SQLite’s, from the store', 'store PostgreSQL', 'store SQLite', 6),
    ratio('page against SQLite’s, over HTTP', 'HTTP PostgreSQL', 'HTTP SQLite', 6),
    ratio('page of 100 against SQLite’s, over HTTP', 'HTTP PostgreSQL 100', 'HTTP SQLite 100', 6),
    ratio(
      'page at depth against page at 0, from the store',
      'store PostgreSQL deep',
      'store PostgreSQL',
      1.3,
    ),
    ratio(
      'page at depth against page at 0, over HTTP',
      'HTTP PostgreSQL deep',
      'HTTP PostgreSQL',
      1.3,
    ),
    ...[...samples].map(([name, values]) => ({
      name: `PostgreSQL and SQLite: processor time, ${name}`,
      value: median(values),
      unit: 'ms a page',
      isDetail: true,
    })),
  ];
}
