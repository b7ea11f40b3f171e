import { join } from 'node:path';
import { endsWithFile, endsWithProcess } from '../../../../core/src/testing/ends.ts';
import { isLong } from '../../../../core/src/testing/length.ts';
import type { Engine } from '../engine.ts';
import { migratePostgres } from '../postgres/open.ts';
import { openPostgres, type PostgresEngine, type PostgresOptions } from '../postgres/postgres.ts';
import { migrate } from '../sqlite/migrate.ts';
import { openSqlite } from '../sqlite/sqlite.ts';
import { newFolder } from './folder.ts';
import { postgresPrograms, startPostgres, type PostgresServer } from './postgres-server.ts';

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

interface Prepared {
  readonly server: PostgresServer;
  readonly template: string;
}
let prepared: Promise<Prepared> | undefined;

function closedLater<T extends Engine>(engine: T): T {
  endsWithFile(() => engine.close());
  return engine;
}

function openSqliteAt(path: string, now: Clock | undefined): Engine {
  const engine = closedLater(openSqlite({ path, busyTimeoutMs: 60_000, ...(now && { now }) }));
  migrate(engine);
  return engine;
}

function openPostgresAt(url: string, now?: Clock): PostgresEngine {
  const wait = { connectTimeoutMs: 30_000, statementTimeoutMs: 60_000 };
  return openPostgres({ url, poolSize: 4, maxWaiting: 1000, ...wait, ...(now && { now }) });
}

async function preparePostgres(): Promise<Prepared> {
  const server = await startPostgres();
  endsWithProcess(() => server.stop());
  const template = await server.newDatabase();
  const engine = openPostgresAt(template);
  await migratePostgres(engine);
  await engine.close();
  return { server, template };
}

/**
 * Creates a database on the server of all suites, with the current schema or empty, and returns its URL. An empty one
 * may have `clauses` of CREATE DATABASE.
 */
export async function newPostgresUrl(
  schema: 'current' | 'empty' = 'current',
  clauses?: string,
): Promise<string> {
  prepared ??= preparePostgres();
  const { server, template } = await prepared;
  return schema === 'empty' ? server.newDatabase(clauses) : server.copyDatabase(template);
}

/** Opens a database with a small pool, and closes it after the tests of the file. */
export function openSmallPostgres(
  url: string,
  options: Partial<PostgresOptions> = {},
): PostgresEngine {
  const pool = { poolSize: 2, maxWaiting: 2, connectTimeoutMs: 5000, statementTimeoutMs: 4000 };
  return closedLater(openPostgres({ url, ...pool, ...options }));
}

/** Why tests with PostgreSQL are skipped; false when it is installed. */
export const noPostgres = postgresPrograms() === null && 'missing: postgres';

/** Every engine: `for (const { name, skip, open } of engines) describe(name, { skip }, …)`. */
export const engines: readonly EngineKind[] = [
  {
    name: 'SQLite',
    skip: false,
    open: async (now) => openSqliteAt(':memory:', now),
    openNodes: async (clocks: readonly Clock[]): Promise<Engine[]> => {
      const folder = newFolder();
      return clocks.map((now) => openSqliteAt(join(folder, 'book.db'), now));
    },
  },
  {
    name: 'PostgreSQL',
    skip: noPostgres,
    open: async (now) => closedLater(openPostgresAt(await newPostgresUrl(), now)),
    openNodes: async (clocks: readonly Clock[]): Promise<Engine[]> => {
      const url = await newPostgresUrl();
      return clocks.map((now) => closedLater(openPostgresAt(url, now)));
    },
  },
];

/** For suites of what is written once for both engines: SQLite, and in the long run PostgreSQL too. */
export const usualEngines = isLong ? engines : engines.slice(0, 1);
