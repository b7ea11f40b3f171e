import { startServer } from './measure/child.ts';
import type { ServerProcess } from './measure/child.ts';
import { runLoad } from './measure/load.ts';
import type { Figure } from './report/figure.ts';
import { measureInTurns, perRequest } from './measure/turns.ts';
import type { Measure, Samples } from './measure/turns.ts';
import { savePage } from './measure/workspace.ts';
import type { Workspace } from './measure/workspace.ts';

const limit = 1000;
const rounds = 5;

/**
 * Measures pages of 1,000 rows from a large book, relative to the ceiling in the same run.
 *
 * The unit is processor time of the server per page. It varies far less on a shared machine than requests per second.
 * Targets take turns, and the median of the rounds counts.
 */
export async function measurePages(workspace: Workspace, rows: number): Promise<Figure[]> {
  const coffer = await startServer('coffer.cjs', { BENCH_DATABASE: workspace.databaseUrl });
  const page = await savePage(workspace, coffer.port);
  const ceiling = await startServer('ceiling.ts', { BENCH_PAGE: page });
  const usual = await startServer('usual.ts', { BENCH_DATABASE: workspace.databaseUrl });
  const deep = Math.floor(rows * 0.9);
  const { token } = workspace;
  const of = (server: ServerProcess, requests: number, ...paths: string[]): Measure =>
    perRequest({ server, token, paths, requests });
  const measured = await measureInTurns({
    ceiling: of(ceiling, 2000, '/'),
    'page at 0': of(coffer, 400, list(0)),
    'page at depth': of(coffer, 400, list(deep)),
    'page at depth, date range': of(coffer, 400, list(deep / 2, range)),
    'page at 0, date range': of(coffer, 400, list(0, range)),
    'scattered walk': of(coffer, rows / limit, ...scattered(rows)),
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

/** The default size of Coffer's page cache. */
export const usualCacheMB = 32;
const memoryGoal = { unit: 'MB', atMost: 250 } as const;

const range = '&start_date=2016-03-02&end_date=2025-10-20';

function list(offset: number, filter = ''): string {
  return `/v2/transactions?limit=${limit}&offset=${Math.floor(offset)}${filter}`;
}

/** Returns every page once, never two neighbours in a row, so that no page is cached by the one before. */
function scattered(rows: number): string[] {
  const pages = rows / limit;
  const stride = 389;
  return Array.from({ length: pages }, (_, index) => list(((index * stride) % pages) * limit));
}

function pageFigures(cpu: Samples): Figure[] {
  const of = (name: string): readonly number[] => cpu.get(name) ?? [];
  const share = (name: string): number => medianRatio(of('ceiling'), of(name));
  const unit = 'of the ceiling';
  return [
    { name: 'page at offset 0', value: share('page at 0'), unit, atLeast: 0.1 },
    { name: 'page at offset 900,000', value: share('page at depth'), unit, atLeast: 0.1 },
    { name: 'scattered walk of all pages', value: share('scattered walk'), unit, atLeast: 0.09 },
    {
      name: 'page at 900,000 against page at 0',
      value: medianRatio(of('page at depth'), of('page at 0')),
      unit: 'times',
      atMost: 1.1,
    },
    {
      name: 'page at depth against page at 0, date range',
      value: medianRatio(of('page at depth, date range'), of('page at 0, date range')),
      unit: 'times',
      atMost: 1.1,
    },
    { name: 'for comparison: usual way at offset 0', value: share('usual way at 0'), unit },
    { name: 'for comparison: usual way at 900,000', value: share('usual way at depth'), unit },
    ...[...cpu].map(([name, values]) => ({
      name: `processor time, ${name}`,
      value: median(values),
      unit: 'ms a page',
    })),
  ];
}

/** Walks one category to its end and compares the last tenth of the pages with the first. */
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

async function walkCategory(
  server: ServerProcess,
  token: string,
  category: number,
): Promise<number> {
  const pages = 250;
  const costs: number[] = [];
  for (let page = 0; page < pages; page += 10) {
    const paths = Array.from(
      { length: 10 },
      (_, index) =>
        `/v2/transactions?limit=100&offset=${(page + index) * 100}&category_id=${category}`,
    );
    const before = await server.usage();
    await runLoad({ ports: [server.port], token, paths, requests: 10, connections: 1 });
    costs.push((await server.usage()).cpuMs - before.cpuMs);
  }
  const tenth = Math.floor(costs.length / 10);
  return sum(costs.slice(-tenth)) / sum(costs.slice(0, tenth));
}

/** Walks all pages of the book three times; a page is cached at its second request. */
async function fullCacheMB({ databaseUrl, token }: Workspace, rows: number): Promise<number> {
  const env = { BENCH_DATABASE: databaseUrl, BENCH_PAGE_CACHE: String(usualCacheMB) };
  const server = await startServer('coffer.cjs', env);
  const paths = scattered(rows);
  for (let walk = 0; walk < 3; walk += 1)
    await perRequest({ server, token, paths, requests: paths.length })();
  const { rssBytes } = await server.usage();
  await server.stop();
  return rssBytes / 1e6;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Returns the median of the ratios of each round; a temporary slowdown affects both sides of a round. */
export function medianRatio(above: readonly number[], below: readonly number[]): number {
  return median(above.map((value, round) => value / (below[round] ?? Number.NaN)));
}

/** Returns the median; for an even number of values, the upper of the two middle ones. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
