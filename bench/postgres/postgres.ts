import { createToken, importEntries } from '../../packages/server/src/main.ts';
import { createRequire } from 'node:module';
import type * as Postgres from 'pg';
import { newToken, openDatabase, parseDatabase } from '../../packages/server/src/main.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import {
  postgresPrograms,
  startPostgres,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import type { PostgresServer } from '../../packages/server/src/db/testing/postgres-server.ts';
import { benchEntries } from '../measure/book.ts';
import type { Figure } from '../report/figure.ts';
import { measurePostgresPages } from './pages.ts';
import { compareWalks, onlyBook } from '../measure/walks.ts';
import { processorTimeMs } from '../measure/processor-time.ts';
import { benchClock, makeBook } from '../measure/workspace.ts';
import type { Workspace } from '../measure/workspace.ts';

const require = createRequire(new URL('../../packages/server/src/main.ts', import.meta.url));
const { Client } = require('pg') as typeof Postgres;

/** Settings that the tests turn off for speed, with their defaults. */
export const durable = { fsync: 'on', full_page_writes: 'on' };

/**
 * Compares PostgreSQL with SQLite: an import of the same book, every page byte by byte, and the processor time of a
 * page in Coffer and all processes of the database server together.
 */
export async function measurePostgres(workspace: Workspace, rows: number): Promise<Figure[]> {
  if (postgresPrograms() === null || process.platform !== 'linux') {
    console.log('  PostgreSQL is not measured: missing: postgres on Linux');
    return [];
  }
  const server = await startPostgres(durable);
  const url = await server.newDatabase();
  const engines = [
    await openDatabase(parseDatabase(workspace.databaseUrl)),
    await openDatabase(parseDatabase(url), { now: benchClock }),
  ] as const;
  try {
    const token = await makeToken(engines[1]);
    const imported = await measureImport(engines[1], server, rows, workspace.importMs);
    const walked = await compareWalks(engines, rows);
    await settle(url);
    const pages = await measurePostgresPages({
      sqlite: {
        url: workspace.databaseUrl,
        token: workspace.token,
        engine: engines[0],
        serverPid: null,
      },
      postgres: { url, token, engine: engines[1], serverPid: server.process.pid ?? 0 },
      depth: Math.floor((rows * 9) / 10),
    });
    return [...imported, walked, ...pages];
  } finally {
    await Promise.all(engines.map((engine) => engine.close()));
    await server.stop();
  }
}

/** Creates a token for the book of a new user. */
export async function makeToken(engine: Engine): Promise<string> {
  const book = await makeBook(engine);
  const { text, hash } = newToken();
  const { userId, id: bookId } = book;
  await engine.write(() => createToken({ userId, bookId, hash, label: 'bench', expiresAt: null }));
  return text;
}

async function measureImport(
  engine: Engine,
  server: PostgresServer,
  rows: number,
  sqliteMs: number,
): Promise<Figure[]> {
  const { id } = await onlyBook(engine);
  const before = { server: processorTimeMs(server.process.pid ?? 0), client: process.cpuUsage() };
  const startedMs = performance.now();
  await importEntries(engine, id, {
    entries: () => benchEntries(rows),
    defaultAccount: null,
    dryRun: false,
  });
  const wallMs = performance.now() - startedMs;
  const client = process.cpuUsage(before.client);
  const clientMs = (client.user + client.system) / 1000;
  const serverMs = processorTimeMs(server.process.pid ?? 0) - before.server;
  const unit = 'us a row';
  return [
    {
      name: 'PostgreSQL: import',
      value: (rows / wallMs) * 1000,
      unit: 'rows a second',
      atLeast: 10_000,
    },
    { name: 'PostgreSQL: import against SQLite', value: wallMs / sqliteMs, unit: 'times' },
    {
      name: 'PostgreSQL: processor time of an import, Coffer',
      value: (clientMs / rows) * 1000,
      unit,
      isDetail: true,
    },
    {
      name: 'PostgreSQL: processor time of an import, server',
      value: (serverMs / rows) * 1000,
      unit,
      isDetail: true,
    },
  ];
}

/** Runs the maintenance that the server would otherwise do during the measurement of pages. */
export async function settle(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of ['VACUUM ANALYZE', 'CHECKPOINT']) await client.query(statement);
  await client.end();
}
