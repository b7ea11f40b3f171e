import { list, scatteredPages } from './measure/book.ts';
import {
  cpuOf,
  startCoffer,
  startServer,
  usualCacheMB,
  type ServerProcess,
} from './measure/child.ts';
import { runLoad } from './measure/load.ts';
import type { PartPlan } from './measure/plan.ts';
import type { Figure } from './report/figure.ts';
import { median, sum } from './measure/processor-time.ts';
import { measureInTurns, perRequest, type Measure, type Samples } from './measure/turns.ts';
import { savePage, type Workspace } from './measure/workspace.ts';

const limit = 1000;

/**
 * Measures pages of 1,000 rows from a large book, relative to the ceiling in the same run.
 *
 * The unit is processor time of the server per page. It varies far less on a shared machine than requests per second.
 * Targets take turns, and the median of the rounds counts.
 */
export async function measurePages({ workspace, rows }: PartPlan): Promise<Figure[]> {
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
    'page at 0': of(coffer, 400, list(limit, 0)),
    'page at depth': of(coffer, 400, list(limit, deep)),
    'page at depth, date range': of(coffer, 400, list(limit, deep / 2) + range),
    'page at 0, date range': of(coffer, 400, list(limit, 0) + range),
    'scattered walk': of(coffer, rows / limit, ...scatteredPages(rows, limit)),
    'usual way at 0': of(usual, 30, list(limit, 0)),
    'usual way at depth': of(usual, 15, list(limit, deep)),
  });
  const { rssBytes } = await coffer.usage();
  const walk = await measureCategoryWalk(coffer, token);
  await Promise.all([coffer, ceiling, usual].map((server) => server.stop()));
  const memory = (when: string, value: number): Figure => {
    return { name: `memory after the walks${when}`, value, unit: 'MB', atMost: 250 };
  };
  return [
    ...pageFigures(measured),
    walk,
    memory('', rssBytes / 1e6),
    memory(', with a full page cache', await fullCacheMB(workspace, rows)),
  ];
}

const range = '&start_date=2016-03-02&end_date=2025-10-20';

function pageFigures(cpu: Samples): Figure[] {
  const share = (name: string, target: string, atLeast?: number): Figure =>
    cpu.times(name, 'ceiling', target, { unit: 'of the ceiling', atLeast });
  const times = (name: string, above: string, below: string): Figure =>
    cpu.times(name, above, below, { atMost: 1.1 });
  const [deep, first] = ['page at depth, date range', 'page at 0, date range'] as const;
  return [
    share('page at offset 0', 'page at 0', 0.1),
    share('page at offset 900,000', 'page at depth', 0.1),
    share('scattered walk of all pages', 'scattered walk', 0.09),
    times('page at 900,000 against page at 0', 'page at depth', 'page at 0'),
    times('page at depth against page at 0, date range', deep, first),
    share('for comparison: usual way at offset 0', 'usual way at 0'),
    share('for comparison: usual way at 900,000', 'usual way at depth'),
    ...cpu.medians('processor time, ', 'ms a page'),
  ];
}

async function measureCategoryWalk(server: ServerProcess, token: string): Promise<Figure> {
  let category = 0;
  const walk = (): Promise<number> => walkCategory(server, token, (category += 1));
  const walks = (await measureInTurns({ walk }, { warmUps: 0 })).of('walk');
  const name = 'category walk, last tenth against first';
  return { name, value: median(walks), unit: 'times', atMost: 1.5 };
}

async function walkCategory(server: ServerProcess, token: string, category: number) {
  const pages = 250;
  const costs: number[] = [];
  for (let page = 0; page < pages; page += 10) {
    const paths = Array.from({ length: 10 }, (_, index) => {
      return `${list(100, (page + index) * 100)}&category_id=${category}`;
    });
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
