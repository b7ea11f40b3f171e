import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { addOwner, databaseUrl, inFolder, useStore, type Owner } from './book.ts';
import { cofferProgram } from './coffer.ts';

const startTimeoutMs = 20_000;

/** How a server is started. */
export interface ServerOptions {
  /** A path, `:memory:`, or a URL. */
  readonly database: string;
  /** Flags of `coffer serve` in addition to port and database. */
  readonly flags?: readonly string[];
  /** Added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A program that runs the server, such as `strace` with its arguments. */
  readonly runner?: readonly string[];
}

/** A server in its own process, listening on 127.0.0.1. */
export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  /** Of the server, or of the program that runs it. */
  readonly pid: number;
  /** Returns the log so far. */
  log(): string;
  /** Sends a signal and resolves to the exit code, or to the name of the signal that ended the process. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Starts `coffer serve` and resolves when it listens. Rejects with its log when it ends before that. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const child = spawnServer(options);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const ended = once(child, 'close').then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
  );
  const url = await urlOf(child, () => log);
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid!,
    log: () => log,
    ended,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

function spawnServer({ database, flags = [], environment, runner = [] }: ServerOptions): Child {
  const serve = ['serve', '--port', '0', '--database', databaseUrl(database), ...flags];
  const [program = '', ...rest] = [...runner, ...cofferProgram, ...serve];
  return spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
}

/** Resolves to the address that the server prints when it listens. */
function urlOf(child: Child, log: () => string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  const fail = (what: string): void => {
    clearTimeout(deadline);
    child.kill('SIGKILL');
    reject(new Error(`The server ${what}:\n${output}${log()}`));
  };
  const deadline = setTimeout(() => fail('did not listen in time'), startTimeoutMs);
  const ended = (): void => fail('ended before it listened');
  child.once('close', ended);
  child.once('error', reject);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const url = /listening on (\S+)/.exec(output)?.[1];
    if (url === undefined) return;
    clearTimeout(deadline);
    child.off('close', ended);
    resolve(url);
  });
  return promise;
}

/** A server in its own process, the first owner of its database, and their folder. */
export interface Served {
  readonly server: ServerProcess;
  readonly owner: Owner;
  readonly folder: string;
}

/** Starts a server on a new database with one owner and runs `work`. Both are removed afterwards. */
export function withServer<T>(
  options: Omit<ServerOptions, 'database'>,
  work: (served: Served) => Promise<T>,
): Promise<T> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    const owner = await useStore(database, (store) => addOwner(store, 'owner'));
    const server = await startServer({ ...options, database });
    try {
      return await work({ server, owner, folder });
    } finally {
      await server.end('SIGKILL');
    }
  });
}
