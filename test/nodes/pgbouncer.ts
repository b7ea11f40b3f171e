import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { serverOwner } from '../../packages/server/src/db/testing/postgres-server.ts';
import { ROOT } from '../house/tracked-files.ts';
import { replaced } from './proxies.ts';

/** PgBouncer in its own process, on a socket in a temporary folder, with the configuration in `deploy/`. */
export interface PgBouncer {
  /** The URL of a database of the server, through PgBouncer. */
  through(url: string): string;
  /** The rows of a command of its console, such as `SHOW STATS`. */
  show(command: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  stop(): Promise<void>;
}

const password = 'a password';
const startTimeoutMs = 10_000;

/** Starts PgBouncer for every database of the PostgreSQL server whose socket is in `socketFolder`. */
export async function startPgBouncer(socketFolder: string): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-pgbouncer-'));
  const text = readFileSync(join(ROOT, 'deploy/pgbouncer.ini'), 'utf8');
  const configuration = replaced(text, {
    'coffer = host=10.0.0.20 port=5432 dbname=coffer ': `* = host=${socketFolder} port=5432 `,
    'listen_addr = 10.0.0.22\n': `unix_socket_dir = ${folder}\nadmin_users = coffer\n`,
    '/etc/pgbouncer': folder,
    '/var/log/postgresql': folder,
    '/var/run/postgresql': folder,
  });
  writeFileSync(join(folder, 'pgbouncer.ini'), configuration);
  writeFileSync(join(folder, 'userlist.txt'), `"coffer" "${password}"\n`);
  if (serverOwner.uid !== undefined) chownSync(folder, serverOwner.uid, serverOwner.gid);
  const child = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], {
    ...serverOwner,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  const urlOf = (database: string): string =>
    `postgres://coffer:${encodeURIComponent(password)}@localhost:6432/${database}?host=${encodeURIComponent(folder)}`;
  const show: PgBouncer['show'] = async (command) => {
    const client = new Client({ connectionString: urlOf('pgbouncer') });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(command)).rows;
    } finally {
      await client.end();
    }
  };
  const deadlineMs = performance.now() + startTimeoutMs;
  while (
    !(await show('SHOW VERSION').then(
      () => true,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      child.kill('SIGKILL');
      throw new Error(`PgBouncer did not start:\n${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    through: (url) => urlOf(new URL(url).pathname.slice(1)),
    show,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
