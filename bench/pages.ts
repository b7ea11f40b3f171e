import { scatteredPages } from './measure/book.ts';
import {
  cpuOf,
  startCoffer,
  startServer,
  usualCacheMB,
  type ServerProcess,
} from './measure/child.ts';
import { runLoad } from './measure/load.ts';
import type { Figure } from './report/figure.ts';
import { median, medianRatio, sum } from './measure/processor-time.ts';
import {
  measureInTurns,
  mediansOf,
  perRequest,
  valuesOf,
  type Measure,
  type Samples,
} from './measure/turns.ts';
import { savePage, type Workspace } from './measure/workspace.ts';

const limit = 1000;
const rounds = 5;

/**
 * Measures pages of 1,000 rows from a large book, relative to the ceiling in the same run.
 *
 * The unit is processor time of the server per page. It varies far less on a shared machine than requests per second.
 * Targets take turns, and the median of the rounds counts.
 */
export async function measurePages(workspace: Workspace, rows: number): Promise<Figure[]> {
  const { databaseUrl, token, folder } = workspace;
  const coffer = await startCoffer(databaseUrl);
  const page = await savePage(folder, { port: coffer.port, token });
  const ceiling = await startServer('ceiling.ts', { BENCH_PAGE: page });
  const usual = await startServer('usual.ts', { BENCH_DATABASE: databaseUrl });
  const deep = Math.floor(rows * 0.9);
  const of = (server: ServerProcess, requests: number, ...paths: string[]): Measure =>
    perRequest({ server, token, paths, requests });
  const measured = await measureInTurns({
    ceiling: of(ceiling, 2000, '/'),
    'page at 0': of(coffer, 400, list(0)),
    'page at depth': of(coffer, 400, list(deep)),
    'page at depth, date range': of(coffer, 400, list(deep / 2, range)),
    'page at 0, date range': of(coffer, 400, list(0, range)),
    'scattered walk': of(coffer, rows / limit, ...scatteredPages(rows, limit)),
    'usual way at 0': of(usual, 30, list(0)),
    'usual way at depth': of(usual, 15, list(deep)),
  });
  const { rssBytes } = await coffer.usage();
  const walk = await measureCategoryWalk(coffer, token);
  await Promise.all([coffer, ceiling, usual].map((server) => server.stop()));
  const name = 'memory after the walks';
  return [
    ...pageFigures(measured),
    walk,
    { name, value: rssBytes / 1e6, ...memoryGoal },
    {
      name: `${name}, with a full page cache`,
      value: await fullCacheMB(workspace, rows),
      ...memoryGoal,
    },
  ];
}

const memoryGoal = { unit: 'MB', atMost: 250 } as const;

const range = '&start_date=2016-03-02&end_date=2025-10-20';

function list(offset: number, filter = ''): string {
  return `/v2/transactions?limit=${limit}&offset=${Math.floor(offset)}${filter}`;
}

function pageFigures(cpu: Samples): Figure[] {
  const of = (name: string): readonly number[] => valuesOf(cpu, name);
  const share = (name: string, target: string, more = {}): Figure => {
    const value = medianRatio(of('ceiling'), of(target));
    return { name, value, unit: 'of the ceiling', ...more };
  };
  const times = (name: string, above: string, below: string): Figure => {
    return { name, value: medianRatio(of(above), of(below)), unit: 'times', atMost: 1.1 };
  };
  const [deep, first] = ['page at depth, date range', 'page at 0, date range'] as const;
  return [
    share('page at offset 0', 'page at 0', { atLeast: 0.1 }),
    share('page at offset 900,000', 'page at depth', { atLeast: 0.1 }),
    share('scattered walk of all pages', 'scattered walk', { atLeast: 0.09 }),
    times('page at 900,000 against page at 0', 'page at depth', 'page at 0'),
    times('page at depth against page at 0, date range', deep, first),
    share('for comparison: usual way at offset 0', 'usual way at 0'),
    share('for comparison: usual way at 900,000', 'usual way at depth'),
    ...mediansOf(cpu, 'processor time, ', 'ms a page'),
  ];
}

async function measureCategoryWalk(server: ServerProcess, token: string): Promise<Figure> {
  const walks = [];
  for (let round = 0; round < rounds; round += 1)
    walks.push(await walkCategory(server, token, 1 + round));
  return {
    name: 'category walk, last tenth against first',
    value: median(walks),
    unit: 'times',
    atMost: 1.5,
  };
}

async function walkCategory(server: ServerProcess, token: string, category: number) {
  const pages = 250;
  const costs: number[] = [];
  for (let page = 0; page < pages; page += 10) {
    const paths = Array.from(
      { length: 10 },
      (_, index) =>
        `/v2/transactions?limit=100&offset=${(page + index) * 100}&category_id=${category}`,
    );
    const load = { ports: [server.port], token, paths, requests: 10, connections: 1 };
    costs.push(await cpuOf(server, () => runLoad(load)));
  }
  const tenth = Math.floor(costs.length / 10);
  return sum(costs.slice(-tenth)) / sum(costs.slice(0, tenth));
}

/** Walks all pages of the book three times; a page is cached at its second request. */
async function fullCacheMB({ databaseUrl, token }: Workspace, rows: number): Promise<number> {
  const server = await startCoffer(databaseUrl, usualCacheMB);
  const paths = scatteredPages(rows, limit);
  for (let walk = 0; walk < 3; walk += 1)
    await perRequest({ server, token, paths, requests: paths.length })();
  const { rssBytes } = await server.usage();
  await server.stop();
  return rssBytes / 1e6;
}
