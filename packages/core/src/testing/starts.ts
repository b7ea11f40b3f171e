/* How tests start programs and servers: on free ports, in a bounded time, and together. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { delimiter, join } from 'node:path';

/** Returns a port that is free now. Another process may take it: see {@link onFreePort}. */
export async function freePort(): Promise<number> {
  const { port, close } = await listenHere(createServer());
  await close();
  return port;
}

const mostPorts = 5;

/** Starts something on a free port, and again on another one when a different process has taken it meanwhile. */
export async function onFreePort<T>(
  start: (port: number) => Promise<T>,
  nextPort: () => Promise<number> = freePort,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await start(await nextPort());
    } catch (error) {
      const isTaken = /EADDRINUSE|address already in use|port is in use/i.test(String(error));
      if (!isTaken || tried === mostPorts) throw error;
    }
  }
}

/**
 * Starts several things at once. When one of them fails, all others are stopped, also those that start later, and the
 * promise rejects with the error.
 */
export async function startTogether<T extends readonly { stop(): Promise<unknown> }[]>(
  ...starting: { readonly [Key in keyof T]: Promise<T[Key]> }
): Promise<T> {
  const settled = await Promise.allSettled(starting);
  const failed = settled.find((each) => each.status === 'rejected');
  const started = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  if (failed === undefined) return started as unknown as T;
  await Promise.allSettled(started.map((each) => each.stop()));
  throw failed.reason;
}

/** A program that has printed that it is ready. */
export interface StartedProgram {
  readonly child: ChildProcess;
  /** The match of its output. */
  readonly match: RegExpExecArray;
  /** Everything that it has printed so far on its standard error. */
  readonly errors: () => string;
  /** Resolves to the exit code, or to the name of the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Starts a program, and resolves when its standard output matches. It is killed if that takes more than a minute. */
export async function startProgram(
  [command = '', ...args]: readonly string[],
  ready: RegExp,
  { timeoutMs = 60_000, ...options }: SpawnOptions & { readonly timeoutMs?: number } = {},
): Promise<StartedProgram> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let [output, errors] = ['', ''];
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number);
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
  const fail = (how: string): void => reject(new Error(`${command} ${how}:\n${output}${errors}`));
  const deadline = setTimeout(() => fail('did not start in time'), timeoutMs);
  ended.then(() => fail('ended before it was ready'), reject);
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const match = ready.exec(output);
    if (match !== null) resolve(match);
  });
  try {
    return { child, match: await promise, errors: () => errors, ended };
  } catch (error) {
    child.kill('SIGKILL');
    await ended.catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}

/** Ends a process that may have ended, and resolves when it has. */
export async function endProgram(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** Returns the path of a program on PATH or in `others`; null when it is not there. */
export function findProgram(name: string, others: readonly string[] = []): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return (
    [...folders, ...others].map((folder) => join(folder, name)).find((path) => existsSync(path)) ??
    null
  );
}

/** Returns the path of Chromium; null without one. Without windows it takes two thirds of the processor time. */
export function findChromium(): string | null {
  return findProgram('chromium-headless-shell') ?? findProgram('chromium');
}

/** A server that listens on the loopback. */
export interface Listening {
  readonly port: number;
  readonly url: string;
  /** Closes it and all its connections. */
  readonly close: () => Promise<void>;
}

/** Lets a server listen on a free port of 127.0.0.1, or of `host`. */
export async function listenHere(server: Server, host = '127.0.0.1'): Promise<Listening> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}
