import { join } from 'node:path';
import {
  postgresPrograms,
  startPostgres,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import type { PartPlan } from '../measure/plan.ts';
import { durable } from '../postgres/postgres.ts';
import type { Figure } from '../report/figure.ts';
import { resultsOf, writeResults } from '../report/results.ts';
import type { Workspace } from '../measure/workspace.ts';
import { fillBook, measureReads } from './reads.ts';
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
  const figures: Figure[] = [];
  for (const size of sizes) {
    const { databaseUrl, token } = workspace;
    const url = `sqlite:${join(folder, `search-${size}.db`)}`;
    const book = size === rows ? { url: databaseUrl, token, rows } : await fillBook(url, size);
    figures.push(...(await measureReads(book)));
  }
  figures.push(...(await measureWriteCost(folder)));
  if (postgresPrograms() === null) return figures;
  const server = await startPostgres(durable);
  try {
    for (const size of sizes)
      figures.push(...(await measureReads(await fillBook(await server.newDatabase(), size))));
  } finally {
    await server.stop();
  }
  return figures;
}
