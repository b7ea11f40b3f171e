import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Engine } from '../engine.ts';
import { migratePostgres } from '../postgres/migrate.ts';
import { openPostgres } from '../postgres/postgres.ts';
import { migrate } from '../sqlite/migrate.ts';
import { openSqlite } from '../sqlite/sqlite.ts';
import { postgresPrograms, startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';

/** Milliseconds since 1970. Default: the system clock. */
type Clock = () => number;

/** An engine that a suite runs on. Its databases are closed after the tests of the file. */
export interface EngineKind {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Why its suites are skipped, for `describe`. */
  readonly skip: string | false;
  /** Opens a new database with the current schema; SQLite's is in memory. */
  readonly open: (now?: Clock) => Promise<Engine>;
  /** Opens a new database once for each clock, like several nodes; SQLite's is a file. */
  readonly openNodes: (clocks: readonly Clock[]) => Promise<Engine[]>;
}

const opened: Engine[] = [];
const folders: string[] = [];
/** One server for all suites of a file. */
let server: Promise<PostgresServer> | undefined;

after(async () => {
  await Promise.all(opened.map((engine) => engine.close()));
  for (const folder of folders) rmSync(folder, { recursive: true });
  await (await server)?.stop();
});

function closedLater<T extends Engine>(engine: T): T {
  opened.push(engine);
  return engine;
}

function openSqliteAt(path: string, now: Clock | undefined): Engine {
  const engine = closedLater(openSqlite({ path, busyTimeoutMs: 60_000, ...(now && { now }) }));
  migrate(engine);
  return engine;
}

async function openPostgresAt(url: string, now: Clock | undefined): Promise<Engine> {
  const wait = { connectTimeoutMs: 30_000, statementTimeoutMs: 60_000 };
  const options = { url, poolSize: 4, maxWaiting: 1000, ...wait, ...(now && { now }) };
  const engine = closedLater(openPostgres(options));
  await migratePostgres(engine);
  return engine;
}

async function newPostgresUrl(): Promise<string> {
  server ??= startPostgres();
  return (await server).newDatabase();
}

/** Every engine: `for (const { name, skip, open } of engines) describe(name, { skip }, …)`. */
export const engines: readonly EngineKind[] = [
  {
    name: 'SQLite',
    skip: false,
    open: async (now) => openSqliteAt(':memory:', now),
    openNodes: async (clocks: readonly Clock[]): Promise<Engine[]> => {
      const folder = mkdtempSync(join(tmpdir(), 'coffer-nodes-'));
      folders.push(folder);
      return clocks.map((now) => openSqliteAt(join(folder, 'book.db'), now));
    },
  },
  {
    name: 'PostgreSQL',
    skip: postgresPrograms() === null && 'missing: postgres',
    open: async (now) => openPostgresAt(await newPostgresUrl(), now),
    openNodes: async (clocks: readonly Clock[]): Promise<Engine[]> => {
      const url = await newPostgresUrl();
      return Promise.all(clocks.map((now) => openPostgresAt(url, now)));
    },
  },
];
