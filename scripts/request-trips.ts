/*
 * Counts the files and functions of the product that a warm request runs: `node scripts/request-trips.ts`.
 *
 * The counts are those of V8's coverage, in the app of the tests on a database in memory. A warm request is the third
 * of its kind. test/house/request-trips.check.test.ts holds docs/architecture.md to them.
 */
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InjectOptions } from 'fastify';
import { as, makeTestApp } from '../packages/server/src/http/testing/test-app.ts';

const PACKAGES = pathToFileURL(join(import.meta.dirname, '../packages/')).href;
const ofTests = /\/testing\/|\/node_modules\//;

/** What one request ran. */
export interface Trip {
  readonly name: string;
  readonly status: number;
  readonly files: number;
  readonly functions: number;
}

interface History {
  readonly history: readonly { readonly version: number }[];
}

type Given = Pick<InjectOptions, 'payload' | 'headers'>;

function statement(n: number): Given {
  const rows = [`2024-03-02,Shop${n},-12.5${n}`, `2024-03-03,Cafe${n},-3.2${n}`];
  const text = ['Date,Payee,Amount', ...rows, ''].join('\n');
  const head = 'Content-Disposition: form-data; name="file"; filename="a.csv"';
  const part = ['--X', head, 'Content-Type: text/csv', '', text, '--X--', ''];
  return {
    payload: part.join('\r\n'),
    headers: { 'content-type': 'multipart/form-data; boundary=X' },
  };
}

/** Returns what each of eight requests runs. */
export async function requestTrips(): Promise<Trip[]> {
  const { app, ada } = await makeTestApp();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  const send = (method: 'GET' | 'PUT' | 'POST', url: string, given: Given = {}) =>
    app.inject({ method, url, ...given, headers: { ...as(ada), ...given.headers } });
  const trips: Trip[] = [];
  const measure = async (name: string, request: () => ReturnType<typeof send>) => {
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    const response = await request();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    await session.post('Profiler.stopPreciseCoverage');
    const ran = result
      .filter(({ url }) => url.startsWith(PACKAGES) && !ofTests.test(url))
      .map(({ functions }) => functions.filter(({ ranges }) => ranges[0]!.count > 0).length)
      .filter((count) => count > 0);
    const functions = ran.reduce((sum, count) => sum + count, 0);
    trips.push({ name, status: response.statusCode, files: ran.length, functions });
    return response;
  };
  const warm = async (name: string, request: (n: number) => ReturnType<typeof send>) => {
    for (const n of [0, 1]) await request(n);
    return measure(name, () => request(2));
  };
  await warm('a page of transactions', (n) => send('GET', `/v2/transactions?limit=${10 + n}`));
  await warm('PUT of a transaction', (n) =>
    send('PUT', '/v2/transactions/1001', { payload: { payee: `p${n}` } }),
  );
  await warm('GET /v2/me', () => send('GET', '/v2/me'));
  await warm('GET /v2/summary', (n) =>
    send('GET', `/v2/summary?start_date=2024-0${1 + n}-01&end_date=2024-06-30`),
  );
  await warm('PUT of v1', (n) =>
    send('PUT', '/v1/transactions/1003', { payload: { transaction: { payee: `z${n}` } } }),
  );
  const preview = (n: number) => send('POST', '/coffer/imports', statement(n));
  const commit = (response: Awaited<ReturnType<typeof send>>) =>
    send('POST', `/coffer/imports/${response.json<{ id: number }>().id}/commit`, { payload: {} });
  for (const n of [0, 1]) await commit(await preview(n));
  const shown = await measure('preview of an import', () => preview(2));
  await measure('commit of an import', () => commit(shown));
  const { history } = (await send('GET', '/coffer/history')).json<History>();
  await warm('undo of an import', (n) =>
    send('POST', `/coffer/history/${history[n]!.version}/undo`),
  );
  session.disconnect();
  await app.close();
  return trips;
}

if (import.meta.main)
  for (const { name, status, files, functions } of await requestTrips())
    console.log(`${name}: ${files} files, ${functions} functions (${status})`);
