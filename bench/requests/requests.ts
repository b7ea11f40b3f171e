import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '../measure/child.ts';
import type { ServerProcess } from '../measure/child.ts';
import { usualCacheMB } from '../pages.ts';
import type { PartPlan } from '../measure/plan.ts';
import type { Figure } from '../report/figure.ts';
import { measureInTurns, perRequest } from '../measure/turns.ts';
import type { Measure } from '../measure/turns.ts';
import { measureAgainst } from './against.ts';
import { fillBook, loadCheckout, thisCheckout } from './checkout.ts';
import type { Subject } from './checkout.ts';
import { measureDemoPage } from './demo-page.ts';
import { figuresOf } from './figures.ts';
import { page, pageOfV1, readMeasures } from './reads.ts';
import { WriteRequests } from './writes.ts';

/** Large enough for deep pages; nothing here depends on the size. */
const rows = 100_000;
const gzip = { headers: ['Accept-Encoding: gzip'] };

/**
 * Measures the processor time of usual requests, in turn with a bare Node server that sends the same bytes. With
 * `against`, in turn with another checkout instead.
 */
export async function measureRequests({ folder, against }: PartPlan): Promise<Figure[]> {
  if (against !== null) return measureAgainst(folder, await loadCheckout(against), rows);
  const stops: (() => Promise<void>)[] = [];
  const start = async (file: string, env: Record<string, string>): Promise<ServerProcess> => {
    const server = await startServer(file, env);
    stops.push(() => server.stop());
    return server;
  };
  try {
    return [...(await measure(folder, start)), await measureDemoPage(folder)];
  } finally {
    await Promise.all(stops.map((stop) => stop()));
  }
}

async function measure(
  folder: string,
  start: (file: string, env: Record<string, string>) => Promise<ServerProcess>,
): Promise<Figure[]> {
  const [url, copy] = ['requests', 'cached'].map((name) => `sqlite:${join(folder, name)}.db`);
  const startOn = async (databaseUrl: string, cacheMB: number): Promise<Subject> => {
    const token = await fillBook(thisCheckout, databaseUrl, rows);
    const env = { BENCH_DATABASE: databaseUrl, BENCH_PAGE_CACHE: String(cacheMB) };
    return { server: await start('coffer.cjs', env), token, databasePid: null };
  };
  const plain = await startOn(url!, 0);
  const cached = await startOn(copy!, usualCacheMB);
  const bare = async (path: string): Promise<Measure> => {
    const server = await start('ceiling.ts', { BENCH_PAGE: await save(folder, plain, path) });
    const requests = path.includes('limit=1000') ? 1500 : 3000;
    return perRequest({ ...plain, server, paths: ['/'], requests });
  };
  const ofPage = (subject: Subject, requests: number, more: object): Measure =>
    perRequest({ ...subject, ...more, paths: [page], requests });
  const samples = await measureInTurns({
    'bare page': await bare(page),
    'bare page of v1': await bare(pageOfV1),
    'bare list of 100': await bare('/v2/transactions?limit=100'),
    'bare list of 1': await bare('/v2/transactions?limit=1'),
    ...readMeasures(plain),
    'repeated page': ofPage(cached, 1000, {}),
    'repeated page, gzip': ofPage(cached, 1000, gzip),
    'page, gzip': ofPage(plain, 100, gzip),
    ...new WriteRequests(plain).measures(),
  });
  return figuresOf(samples);
}

/** Saves the body of a path as a file, which a bare server sends. */
async function save(folder: string, { server, token }: Subject, path: string): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
  const file = join(folder, `${path.replaceAll(/\W+/g, '-')}.json`);
  writeFileSync(file, Buffer.from(await response.arrayBuffer()));
  return file;
}
