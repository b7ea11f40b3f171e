import { join } from 'node:path';
import { startCoffer, startServer, usualCacheMB, type ServerProcess } from '../measure/child.ts';
import { coffer } from '../measure/command.ts';
import { runLoad } from '../measure/load.ts';
import type { PartPlan } from '../measure/plan.ts';
import { medianRatio } from '../measure/samples.ts';
import {
  measureInTurns,
  mediansOf,
  perRequest,
  valuesOf,
  type Measure,
  type Samples,
} from '../measure/turns.ts';
import { fillBook, savePage } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';
import { measureAgainst } from './against.ts';
import { loadCheckout, type Subject } from './checkout.ts';
import { page, pageOfV1, readMeasures, writeMeasures } from './reads.ts';

/** Large enough for deep pages; nothing here depends on the size. */
const rows = 100_000;
const gzip = { headers: ['Accept-Encoding: gzip'] };

/**
 * Measures the processor time of usual requests, in turn with a bare Node server that sends the same bytes. With
 * `against`, in turn with another checkout instead.
 */
export async function measureRequests({ folder, against }: PartPlan): Promise<Figure[]> {
  if (against !== null) return measureAgainst(folder, await loadCheckout(against), rows);
  const servers: ServerProcess[] = [];
  const kept = async (starting: Promise<ServerProcess>): Promise<ServerProcess> => {
    const server = await starting;
    servers.push(server);
    return server;
  };
  try {
    return [...(await measure(folder, kept)), await measureDemoPage(folder)];
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function measure(
  folder: string,
  kept: (starting: Promise<ServerProcess>) => Promise<ServerProcess>,
): Promise<Figure[]> {
  const startOn = async (name: string, cacheMB: number): Promise<Subject> => {
    const url = `sqlite:${join(folder, `${name}.db`)}`;
    const token = await fillBook(url, rows);
    return { server: await kept(startCoffer(url, cacheMB)), token, databasePid: null };
  };
  const plain = await startOn('requests', 0);
  const cached = await startOn('cached', usualCacheMB);
  const bare = async (path: string): Promise<Measure> => {
    const file = await savePage(folder, { port: plain.server.port, token: plain.token }, path);
    const server = await kept(startServer('ceiling.ts', { BENCH_PAGE: file }));
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
    ...(await writeMeasures(plain)),
  });
  return figuresOf(samples);
}

function figuresOf(samples: Samples): Figure[] {
  const ratio = (above: string, below: string): number =>
    medianRatio(valuesOf(samples, above), valuesOf(samples, below));
  const share = (name: string, bare: string, atLeast?: number): Figure => ({
    ...{ name: `requests: ${name}`, value: ratio(bare, name), unit: 'of a bare response' },
    ...(atLeast !== undefined && { atLeast }),
  });
  const times = (name: string, above: string, below: string, atMost: number): Figure => {
    return { name: `requests: ${name}`, value: ratio(above, below), unit: 'times', atMost };
  };
  return [
    share('list of 1', 'bare list of 1', 0.08),
    share('list of 100', 'bare list of 100', 0.08),
    share('me', 'bare list of 1', 0.15),
    share('page of v1 at 0', 'bare page of v1'),
    times('page of v1 at 90,000 against at 0', 'page of v1 at 90,000', 'page of v1 at 0', 1.3),
    share('repeated page', 'bare page', 0.4),
    times('repeated page, gzip against plain', 'repeated page, gzip', 'repeated page', 1.2),
    times('page, gzip against plain', 'page, gzip', 'page at 0', 4),
    ...mediansOf(samples, 'requests: processor time, ', 'ms'),
  ];
}

async function measureDemoPage(folder: string): Promise<Figure> {
  const url = `sqlite:${join(folder, 'demo.db')}`;
  const { stdout } = await coffer('demo', '--database', url);
  // The demo book has crypto, whose prices the server would read from the internet.
  const offline = { PRICES_URL: 'http://127.0.0.1:1', BENCH_LOG_LEVEL: 'silent' };
  const server = await startCoffer(url, 0, offline);
  const load = { ports: [server.port], token: stdout.trim(), paths: [page] };
  const bytesOf = (...headers: string[]): Promise<number> =>
    runLoad({ ...load, requests: 1, connections: 1, headers });
  const [plain, small] = [await bytesOf(), await bytesOf('Accept-Encoding: gzip')];
  await server.stop();
  const name = 'page of the demo book, gzip against plain bytes';
  return { name, value: small / plain, unit: 'of the bytes', atMost: 0.1 };
}
