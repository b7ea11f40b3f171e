import { createRequire } from 'node:module';
import type * as Postgres from 'pg';
import { newToken, openStore, parseDatabase } from '../packages/server/src/main.ts';
import type { Store } from '../packages/server/src/main.ts';
import {
  postgresPrograms,
  startPostgres,
} from '../packages/server/src/store/testing/postgres-server.ts';
import type { PostgresServer } from '../packages/server/src/store/testing/postgres-server.ts';
import { benchEntries } from './book.ts';
import type { Figure } from './figure.ts';
import { measurePostgresPages } from './postgres-pages.ts';
import { compareWalks, onlyBook } from './walks.ts';
import { processorTimeMs } from './processor-time.ts';
import { makeBook } from './workspace.ts';
import type { Workspace } from './workspace.ts';

const require = createRequire(new URL('../packages/server/src/main.ts', import.meta.url));
const { Client } = require('pg') as typeof Postgres;

/** As PostgreSQL is installed: only what the tests turn off for speed is on again. */
export const durable = { fsync: 'on', full_page_writes: 'on' };
const nowIso = '2026-01-01T00:00:00.000Z';

/**
 * PostgreSQL against SQLite in one run: an import of the same book, every page compared byte by byte, and the processor
 * time of a page, that of Coffer and of every process of the database server together.
 */
export async function measurePostgres(workspace: Workspace, rows: number): Promise<Figure[]> {
  if (postgresPrograms() === null || process.platform !== 'linux') {
    console.log('  PostgreSQL is not measured: missing: postgres on Linux');
    return [];
  }
  const server = await startPostgres(durable);
  const url = await server.newDatabase();
  const stores = [
    await openStore(parseDatabase(workspace.databaseUrl)),
    await openStore(parseDatabase(url)),
  ] as const;
  try {
    const token = await makeToken(stores[1]);
    const imported = await measureImport(stores[1], server, rows, workspace.importMs);
    const walked = await compareWalks(stores, rows);
    await settle(url);
    const pages = await measurePostgresPages({
      sqlite: {
        url: workspace.databaseUrl,
        token: workspace.token,
        store: stores[0],
        serverPid: null,
      },
      postgres: { url, token, store: stores[1], serverPid: server.process.pid ?? 0 },
      depth: Math.floor((rows * 9) / 10),
    });
    return [...imported, walked, ...pages];
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await server.stop();
  }
}

/** A token for a new user's book. */
export async function makeToken(store: Store): Promise<string> {
  const book = await makeBook(store);
  const { text, hash } = newToken();
  const { userId, id: bookId } = book;
  await store.createToken({ userId, bookId, hash, label: 'bench', nowIso, expiresAt: null });
  return text;
}

async function measureImport(
  store: Store,
  server: PostgresServer,
  rows: number,
  sqliteMs: number,
): Promise<Figure[]> {
  const { id } = await onlyBook(store);
  const before = { server: processorTimeMs(server.process.pid ?? 0), client: process.cpuUsage() };
  const startedMs = performance.now();
  await store.importEntries(id, {
    entries: () => benchEntries(rows),
    defaultAccount: null,
    nowIso,
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
    },
    {
      name: 'PostgreSQL: processor time of an import, server',
      value: (serverMs / rows) * 1000,
      unit,
    },
  ];
}

/** What the server would do of itself in the minutes after: its work is not that of the pages. */
async function settle(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of ['VACUUM ANALYZE', 'CHECKPOINT']) await client.query(statement);
  await client.end();
}
