import { join } from 'node:path';
import { startServer } from '../measure/child.ts';
import { coffer } from '../measure/command.ts';
import { runLoad } from '../measure/load.ts';
import type { Figure } from '../report/figure.ts';
import { page } from './reads.ts';

/** Compares the bytes of a page of 1,000 of the demo book with gzip and without. */
export async function measureDemoPage(folder: string): Promise<Figure> {
  const databaseUrl = `sqlite:${join(folder, 'demo.db')}`;
  const { stdout } = await coffer('demo', '--database', databaseUrl);
  // The demo book has crypto, whose prices the server would read from the internet.
  const offline = { PRICES_URL: 'http://127.0.0.1:1', BENCH_LOG_LEVEL: 'silent' };
  const server = await startServer('coffer.cjs', { BENCH_DATABASE: databaseUrl, ...offline });
  const load = { ports: [server.port], token: stdout.trim(), paths: [page] };
  const bytesOf = (...headers: string[]): Promise<number> =>
    runLoad({ ...load, requests: 1, connections: 1, headers });
  const [plain, small] = [await bytesOf(), await bytesOf('Accept-Encoding: gzip')];
  await server.stop();
  return {
    name: 'page of the demo book, gzip against plain bytes',
    value: small / plain,
    unit: 'of the bytes',
    atMost: 0.1,
  };
}
