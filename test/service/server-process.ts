import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { startProgram, startTogether } from '../../packages/core/src/testing/starts.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { serve } from '../../packages/server/src/main.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import { cofferProgram } from './coffer.ts';
import { addOwner, databaseUrl, inFolder, useStore, type Owner } from './owners.ts';
import { makeSyncedAccounts, type SyncedAccounts } from './synced-accounts.ts';

export interface ServerOptions {
  /** A path, `:memory:`, or a URL. */
  readonly database: string;
  /** Flags of `coffer serve` in addition to port and database. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A program that runs the server, such as `strace` with its arguments. */
  readonly runner?: readonly string[];
}

/** How a server ended: its exit code, or the name of the signal. */
type End = number | NodeJS.Signals;

export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  /** Of the server, or of the program that runs it. */
  readonly pid: number;
  log(): string;
  end(signal: NodeJS.Signals): Promise<End>;
  stop(): Promise<End>;
  readonly ended: Promise<End>;
}

const inThisProcess = new AsyncLocalStorage<true>();

/** Runs work whose servers are part of this process, which saves the time of a start. Signals only close them. */
export function withoutProcesses<T>(work: () => Promise<T>): Promise<T> {
  return inThisProcess.run(true, work);
}

export function isInOneProcess(): boolean {
  return inThisProcess.getStore() === true;
}

export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  if (isInOneProcess()) return startHere(options);
  const { database, flags = [], environment, runner = [] } = options;
  const serving = ['serve', '--port', '0', '--database', databaseUrl(database), ...flags];
  const env = { ...process.env, ...environment };
  const started = await startProgram(
    [...runner, ...cofferProgram, ...serving],
    /listening on (\S+)/,
    { env },
  );
  const { child, match, errors: log, ended } = started;
  const end = (signal: NodeJS.Signals): Promise<End> => {
    child.kill(signal);
    return ended;
  };
  const [, url = ''] = match;
  const port = Number(new URL(url).port);
  return { url, port, pid: child.pid!, log, ended, end, stop: () => end('SIGKILL') };
}

async function startHere(options: ServerOptions): Promise<ServerProcess> {
  const { database, flags = [], environment = {} } = options;
  const named = Object.fromEntries(
    flags.flatMap((flag, at) => (at % 2 === 0 ? [[camelCase(flag), flags[at + 1]]] : [])),
  ) as Parameters<typeof readConfig>[0];
  const own = { port: '0', logLevel: 'silent', database: databaseUrl(database) };
  const server = await serve(readConfig({ ...own, ...named }, environment));
  const { promise: ended, resolve } = Promise.withResolvers<End>();
  let closing: Promise<void> | undefined;
  const end = async (): Promise<End> => {
    closing ??= server.close();
    await closing;
    resolve(0);
    return ended;
  };
  const port = Number(new URL(server.url).port);
  return { url: server.url, port, pid: process.pid, log: () => '', ended, end, stop: end };
}

function camelCase(flag: string): string {
  return flag.slice('--'.length).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Starts a server, runs `work`, and kills the server afterwards unless it has ended. */
export async function useServer<T>(
  options: ServerOptions,
  work: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  return useServers([options], ([server]) => work(server!));
}

export async function useServers<T>(
  all: readonly ServerOptions[],
  work: (servers: readonly ServerProcess[]) => Promise<T>,
): Promise<T> {
  const servers = await startTogether<ServerProcess[]>(...all.map(startServer));
  try {
    return await work(servers);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

export interface Served {
  readonly server: ServerProcess;
  readonly owner: Owner;
  readonly folder: string;
  readonly database: string;
}

export function withServer<T>(
  options: Omit<ServerOptions, 'database'>,
  work: (served: Served) => Promise<T>,
): Promise<T> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    const owner = await useStore(database, (store) => addOwner(store, 'owner'));
    return useServer({ ...options, database }, (server) =>
      work({ server, owner, folder, database }),
    );
  });
}

/** An owner with synced accounts, whose refreshes are writes of the server. */
export interface Synced {
  readonly owner: Owner;
  readonly accounts: SyncedAccounts;
  readonly serve: <R>(
    work: (server: ServerProcess) => Promise<R>,
    more?: Partial<ServerOptions>,
  ) => Promise<R>;
}

/** Creates an owner with `count` synced accounts in a database and runs `work`. `fill` fills the book before. */
export async function withSynced<T>(
  { database, ...options }: ServerOptions,
  count: number,
  work: (synced: Synced) => Promise<T>,
  fill: (store: Engine, owner: Owner) => Promise<unknown> = () => Promise.resolve(),
): Promise<T> {
  const owner = await useStore(database, async (store) => {
    const made = await addOwner(store, 'owner');
    await fill(store, made);
    return made;
  });
  const accounts = await makeSyncedAccounts(database, owner, count);
  const environment = { ...options.environment, ...accounts.environment };
  try {
    return await work({
      owner,
      accounts,
      serve: (each, more) => useServer({ database, ...options, environment, ...more }, each),
    });
  } finally {
    await accounts.close();
  }
}
