import { join } from 'node:path';
import {
  postgresPrograms,
  startPostgres,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import { durable } from '../postgres/postgres.ts';
import type { Figure } from '../report/figure.ts';
import { measureReads } from './reads.ts';
import { measureWriteCost } from './write-cost.ts';

const usualRows = 100_000;

/** Measures search and sums: requests on both engines at 100,000 rows and at `rows`, and what they cost writes. */
export async function measureSearch(folder: string, rows: number): Promise<Figure[]> {
  const sizes = [...new Set([Math.min(usualRows, rows), rows])];
  const figures: Figure[] = [];
  for (const size of sizes)
    figures.push(...(await measureReads(`sqlite:${join(folder, `search-${size}.db`)}`, size)));
  figures.push(...(await measureWriteCost(folder)));
  if (postgresPrograms() === null) return figures;
  const server = await startPostgres(durable);
  try {
    for (const size of sizes)
      figures.push(...(await measureReads(await server.newDatabase(), size)));
  } finally {
    await server.stop();
  }
  return figures;
}
