import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { installPackages } from './install.ts';
import { onFreePort } from '../../packages/core/src/testing/starts.ts';
import type { Peer } from '../measure/child.ts';
import { startPeer, type Row } from './peer.ts';

const execute = promisify(execFile);

const directusVersion = '11.17.4';
export const directusToken = 'bench-token-of-the-only-user';

/**
 * Starts Directus with the rows in a table of its SQLite database. By default it has no cache and no limiter. Its log
 * and its refusal of requests while it is busy are turned off.
 */
export async function startDirectus(folder: string, rows: readonly Row[]): Promise<Peer> {
  const packages = await installPackages({
    name: 'directus',
    // The override has builds for Node 24; Directus asks for one that does not compile there.
    dependencies: { directus: directusVersion, sqlite3: '5.1.7' },
    overrides: { 'isolated-vm': '6.2.0' },
    built: ['sqlite3'],
  });
  const program = join(packages, 'node_modules/directus/cli.js');
  const command = process.execPath;
  const first = environment(folder, 0);
  const run = { cwd: folder, env: { ...process.env, ...first } };
  await execute(command, [program, 'bootstrap'], run);
  insertRows(first.DB_FILENAME, rows);
  return onFreePort((port) => {
    const start = { command, args: [program, 'start'], env: environment(folder, port) };
    return startPeer({ ...start, folder, port, path: '/server/ping' });
  });
}

export function directusPage(limit: number, offset: number): string {
  return `/items/transactions?limit=${limit}&offset=${offset}&sort=-date,-id`;
}

function environment(folder: string, port: number) {
  for (const name of ['extensions', 'uploads']) mkdirSync(join(folder, name), { recursive: true });
  return {
    DB_CLIENT: 'sqlite3',
    DB_FILENAME: join(folder, 'directus.db'),
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SECRET: 'a secret of the bench, of no use',
    TELEMETRY: 'false',
    LOG_LEVEL: 'error',
    PRESSURE_LIMITER_ENABLED: 'false',
    ADMIN_EMAIL: 'bench@example.com',
    ADMIN_PASSWORD: 'bench',
    ADMIN_TOKEN: directusToken,
    EXTENSIONS_PATH: join(folder, 'extensions'),
    STORAGE_LOCAL_ROOT: join(folder, 'uploads'),
  };
}

/** Puts the rows into a table with an index for the order of the list; Directus finds it when it starts. */
function insertRows(path: string, rows: readonly Row[]): void {
  const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== 'id');
  const database = new Database(path);
  database.exec(`CREATE TABLE transactions (id INTEGER PRIMARY KEY, ${columns.join(', ')});
    CREATE INDEX by_date ON transactions (date, id)`);
  const insert = database.prepare(
    `INSERT INTO transactions VALUES (${['id', ...columns].map(() => '?').join(', ')})`,
  );
  database.transaction(() => {
    for (const row of rows) insert.run(row.id, ...columns.map((name) => toColumn(row[name])));
  })();
  database.close();
}

function toColumn(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
