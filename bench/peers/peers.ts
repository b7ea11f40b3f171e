import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../../packages/core/src/testing/starts.ts';
import { list } from '../measure/book.ts';
import { startCoffer, startServer, usualCacheMB, type Peer } from '../measure/child.ts';
import { processAndChildren } from '../measure/processor-time.ts';
import { listRows, overHttp, type Send } from '../measure/requests.ts';
import type { Figure } from '../report/figure.ts';
import { measureInTurns, perRequest, type Measure, type Samples } from '../measure/turns.ts';
import { copyDatabase, makeWorkspace, savePage, type Workspace } from '../measure/workspace.ts';
import { directusPage, directusToken, startDirectus } from './directus.ts';
import { jsonServerPage, startJsonServer, startNginx, systemFolders, type Row } from './peer.ts';

const rows = 100_000;
const limit = 1000;
const deep = 90_000;
const execute = promisify(execFile);
const seconds = 2;
const serverProcessor = '0';
const clientProcessor = '1';

/**
 * Compares Coffer with other software that serves the same rows: json-server and Directus from npm, and nginx and a
 * bare Node server with the bytes of one page. The unit is the processor time of each server, with its children, for a
 * page of 1,000 rows. What is not installed is left out.
 */
export async function measurePeers(folder: string): Promise<Figure[]> {
  if (process.platform !== 'linux') {
    console.log('  other software is not measured: missing: Linux');
    return [];
  }
  const workspace = await makeWorkspace(rows);
  const stops: (() => Promise<void>)[] = [];
  try {
    return await measure(folder, workspace, stops);
  } finally {
    await Promise.all(stops.map((stop) => stop()));
    rmSync(workspace.folder, { recursive: true, force: true });
  }
}

async function measure(folder: string, workspace: Workspace, stops: (() => Promise<void>)[]) {
  const keep = <T extends Peer | null>(server: T): T => {
    if (server !== null) stops.push(() => server.stop());
    return server;
  };
  const { token, databaseUrl } = workspace;
  const copy = await copyDatabase(workspace, 'cached');
  const coffer = keep(await startCoffer(databaseUrl));
  const page = await savePage(workspace.folder, { port: coffer.port, token });
  const bare = keep(await startServer('ceiling.ts', { BENCH_PAGE: page }));
  const cached = keep(await startCoffer(copy, usualCacheMB));
  const all = await readRows(overHttp(coffer.port, token));
  const pagePath = `/${basename(page)}`;
  const nginx = keep(await orSkip('nginx', startNginx(folder, page)));
  const jsonServer = keep(await orSkip('json-server', startJsonServer(folder, all)));
  const directus = keep(await orSkip('Directus', startDirectus(folder, all)));
  const of = (server: Peer, requests: number, path: string, sent = token): Measure =>
    perRequest({ server, token: sent, paths: [path], requests });
  const samples = await measureInTurns({
    'bare Node': of(bare, 2000, '/'),
    'Coffer, repeated page': of(cached, 2000, list(limit)),
    'Coffer at 0': of(coffer, 300, list(limit)),
    'Coffer at 90,000': of(coffer, 300, list(limit, deep)),
    ...(nginx && { nginx: of(nginx, 3000, pagePath) }),
    ...(jsonServer && {
      'json-server at 0': of(jsonServer, 30, jsonServerPage(limit, 0)),
      'json-server at 90,000': of(jsonServer, 30, jsonServerPage(limit, deep)),
    }),
    ...(directus && {
      'Directus at 0': of(directus, 15, directusPage(limit, 0), directusToken),
      'Directus at 90,000': of(directus, 15, directusPage(limit, deep), directusToken),
    }),
  });
  const figures = figuresOf(samples);
  if (nginx === null) return figures;
  const target = ({ pid, port }: Peer, path: string) => {
    return { pid, token, url: `http://127.0.0.1:${port}${path}` };
  };
  const rates = await measureRates({
    nginx: target(nginx, pagePath),
    'bare Node': target(bare, '/'),
    Coffer: target(cached, list(limit)),
  });
  return [...figures, ...rates];
}

/** Resolves with null and says so if the software is missing or cannot be installed. */
async function orSkip(name: string, starting: Promise<Peer | null>): Promise<Peer | null> {
  try {
    const peer = await starting;
    if (peer === null) console.log(`  ${name} is not measured: missing: ${name}`);
    return peer;
  } catch (error) {
    console.log(`  ${name} is not measured: ${error instanceof Error ? error.message : 'unknown'}`);
    return null;
  }
}

function figuresOf(samples: Samples): Figure[] {
  const times = ['json-server', 'Directus'].flatMap((name) =>
    ['at 0', 'at 90,000'].flatMap((place): Figure[] => {
      const [own, other] = [`Coffer ${place}`, `${name} ${place}`];
      if (samples.of(other).length === 0) return [];
      return [samples.times(`peers: page ${place}, ${name} against Coffer`, other, own)];
    }),
  );
  return [...times, ...samples.medians('peers: processor time of a page, ', 'ms')];
}

async function readRows(send: Send): Promise<Row[]> {
  const all: Row[] = [];
  for (let offset = 0; offset < rows; offset += limit)
    all.push(...((await listRows(send, `limit=${limit}&offset=${offset}`)) as unknown as Row[]));
  return all;
}

interface WrkTarget {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
}

/**
 * Measures requests a second of servers on one processor, by `wrk` with eight connections on another, in turn. nginx is
 * the unit of the share. Returns nothing where a program or a second processor is missing.
 */
async function measureRates(
  targets: Readonly<Record<'nginx' | 'bare Node' | 'Coffer', WrkTarget>>,
): Promise<Figure[]> {
  const programs = ['wrk', 'taskset'].map((name) => findProgram(name, systemFolders));
  const [wrk, taskset] = programs;
  if (!wrk || !taskset || cpus().length < 2) {
    console.log('  requests a second are not measured: missing: wrk, taskset or two processors');
    return [];
  }
  for (const { pid } of Object.values(targets))
    for (const each of processAndChildren(pid))
      await execute(taskset, ['-a', '-c', '-p', serverProcessor, String(each)]);
  const rates = Object.entries(targets).map(([name, target]) => {
    return [name, () => rateOf(taskset, wrk, target)] as const;
  });
  const samples = await measureInTurns(Object.fromEntries(rates), { rounds: 3 });
  const name = 'peers: repeated page against nginx’s static file, requests a second';
  return [
    samples.times(name, 'Coffer', 'nginx', { unit: 'of nginx', atLeast: 0.5 }),
    ...samples.medians('peers: requests a second on one processor, ', 'a second'),
  ];
}

async function rateOf(taskset: string, wrk: string, { url, token }: WrkTarget): Promise<number> {
  const load = ['-t1', '-c8', `-d${seconds}s`, '-H', `Authorization: Bearer ${token}`, url];
  const { stdout } = await execute(taskset, ['-c', clientProcessor, wrk, ...load]);
  const failed = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(stdout)?.[0];
  if (failed !== undefined) throw new Error(`${url}: ${failed}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}
