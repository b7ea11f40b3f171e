import { join } from 'node:path';
import { onPostgres, settle } from '../measure/engines.ts';
import type { PartPlan } from '../measure/plan.ts';
import { fillBook, type Workspace } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';
import { resultsOf, writeResults } from '../report/results.ts';
import { measureReads, type SearchedBook } from './reads.ts';
import { measureWriteCost } from './write-cost.ts';

const usualRows = 100_000;

/**
 * Measures search and sums: requests on both engines at 100,000 rows and at `rows`, and what they cost writes. Also
 * writes the figures to their own file of results.
 */
export async function measureSearch(workspace: Workspace, plan: PartPlan): Promise<Figure[]> {
  const { rows, stamp } = plan;
  const figures = await measure(workspace, plan);
  writeResults('search.json', resultsOf(stamp, rows, figures));
  return figures;
}

async function measure(workspace: Workspace, { folder, rows }: PartPlan): Promise<Figure[]> {
  const sizes = [...new Set([Math.min(usualRows, rows), rows])];
  const fill = async (url: string, size: number): Promise<SearchedBook> => {
    const token = await fillBook(url, size);
    await settle(url);
    return { url, token, rows: size };
  };
  const figures: Figure[] = [];
  for (const size of sizes) {
    const { databaseUrl: url, token } = workspace;
    const own = size === rows ? { url, token, rows } : null;
    const book = own ?? (await fill(`sqlite:${join(folder, `search-${size}.db`)}`, size));
    figures.push(...(await measureReads(book)));
  }
  figures.push(...(await measureWriteCost(folder)));
  await onPostgres(async (server) => {
    for (const size of sizes)
      figures.push(...(await measureReads(await fill(await server.newDatabase(), size))));
  });
  return figures;
}
