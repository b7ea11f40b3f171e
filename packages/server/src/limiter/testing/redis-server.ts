import { execFile, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { endProgram, onFreePort, startProgram } from '../../../../core/src/testing/starts.ts';

/** A Redis or Valkey server for a test, on a free port of this machine. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly program: string;
  /** The folder of its files; removed by `stop`. */
  readonly folder: string;
  /** Sends one command and resolves with the reply, without the line end. Rejects on an error. */
  ask(...command: readonly string[]): Promise<string>;
  /** Suspends the process: the system still accepts connections and bytes, but nothing replies. */
  freeze(): void;
  thaw(): void;
  /** Kills it; resolves when it has ended. */
  kill(): Promise<void>;
  /** Starts it again on the same port, after `kill`. */
  restart(): Promise<void>;
  /** Kills it and removes its files. May be called more than once. */
  stop(): Promise<void>;
}

/** Options for the start of a server. */
export interface RedisServerOptions {
  /** Added to the flags that keep it on the loopback and off the disk. */
  readonly flags?: readonly string[];
  readonly program?: string;
  /** Flags of the command line client in addition to the port. */
  readonly clientFlags?: readonly string[];
  /** Whether it accepts TLS only. */
  readonly isTls?: boolean;
}

const askTimeoutMs = 60_000;

/** The Redis and Valkey servers on PATH. */
export function redisPrograms(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return ['redis-server', 'valkey-server'].flatMap((name) =>
    folders
      .map((folder) => join(folder, name))
      .filter((program) => existsSync(program))
      .slice(0, 1),
  );
}

/** Why tests with Redis are skipped; false when a server is installed. */
export const noRedis = redisPrograms().length === 0 && 'missing: redis-server';

/** Starts a server and resolves when it accepts connections. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const { program = redisPrograms()[0], isTls = false, clientFlags = [] } = options;
  if (program === undefined) throw new Error('missing: redis-server');
  const folder = mkdtempSync(join(tmpdir(), 'coffer-redis-'));
  const start = async (port: number) => ({
    port,
    child: await spawnServer(program, port, folder, options),
  });
  let running: Awaited<ReturnType<typeof start>>;
  try {
    running = await onFreePort(start);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  const { port } = running;
  return {
    url: `${isTls ? 'rediss' : 'redis'}://127.0.0.1:${port}`,
    port,
    program,
    folder,
    ask: (...command) => askServer(program, ['-p', String(port), ...clientFlags, ...command]),
    freeze: () => void running.child.kill('SIGSTOP'),
    thaw: () => void running.child.kill('SIGCONT'),
    kill: () => endProgram(running.child),
    restart: async () => {
      running = await start(port);
    },
    stop: async () => {
      await endProgram(running.child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function askServer(program: string, args: readonly string[]): Promise<string> {
  const client = program.replace(/-server$/, '-cli');
  const { stdout } = await promisify(execFile)(client, ['-e', ...args], { timeout: askTimeoutMs });
  return stdout.replace(/\n$/, '');
}

async function spawnServer(
  program: string,
  port: number,
  folder: string,
  { flags = [], isTls = false }: RedisServerOptions,
): Promise<ChildProcess> {
  const ports = isTls ? ['--port', '0', '--tls-port', String(port)] : ['--port', String(port)];
  const own = [...ports, '--save', '', '--appendonly', 'no', '--dir', folder];
  const bound = flags.includes('--bind') ? [] : ['--bind', '127.0.0.1'];
  const command = [program, ...own, ...bound, ...flags];
  return (await startProgram(command, /Ready to accept connections/)).child;
}
