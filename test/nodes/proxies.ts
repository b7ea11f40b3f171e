import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findProgram, onFreePort } from '../../packages/core/src/testing/starts.ts';
import { textOf } from './deploy-files.ts';

/** A proxy in its own process, on loopback, with the configuration in `deploy/`. */
export interface Proxy {
  readonly url: string;
  log(): readonly LogLine[];
  text(): string;
  stop(): Promise<void>;
}

export interface LogLine {
  readonly method: string;
  readonly status: number;
  /** The port of the last node that it was sent to; null when it was sent to none. */
  readonly port: number | null;
}

/** Starts a proxy in front of two nodes at `ports` of 127.0.0.1; `edit` changes its configuration. */
export type StartProxy = (
  ports: readonly number[],
  edit?: (configuration: string) => string,
) => Promise<Proxy>;

export const proxies: Readonly<Record<'nginx' | 'haproxy', StartProxy>> = {
  nginx: startNginx,
  haproxy: (ports, edit) => onFreePort((port) => startHaproxy(port, ports, edit)),
};

const startTimeoutMs = 60_000;
const nobody = 65_534;
/** Proxies do not run as root, and their files do not belong to root. */
const owner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/** The reason to skip a test that needs these programs; false when all are on PATH. */
export function skipWithout(...programs: readonly string[]): string | false {
  const missing = programs.filter((program) => findProgram(program) === null);
  return missing.length > 0 && `missing: ${missing.join(', ')}`;
}

/** Replaces words in a text. Throws for a word that it does not have. */
export function replaced(text: string, words: Readonly<Record<string, string>>): string {
  return Object.entries(words).reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`"${from}" is missing`);
    return result.replaceAll(from, to);
  }, text);
}

/** Runs `work` with a proxy that is being started, and stops the proxy. */
export async function withProxy<P extends Proxy>(
  starting: Promise<P>,
  work: (proxy: P) => Promise<void>,
): Promise<void> {
  const proxy = await starting;
  try {
    await work(proxy);
  } finally {
    await proxy.stop();
  }
}

export interface Nginx extends Proxy {
  reload(edit: (configuration: string) => string): void;
}

export function startNginx(
  ports: readonly number[],
  edit?: (configuration: string) => string,
): Promise<Nginx> {
  return onFreePort((port) => startNginxAt(port, ports, edit));
}

async function startNginxAt(
  port: number,
  [first, second]: readonly number[],
  edit = (configuration: string): string => configuration,
): Promise<Nginx> {
  const folder = ownFolder();
  const logFile = join(folder, 'access.log');
  const configuration = replaced(textOf('nginx.conf'), {
    'listen 80;': `listen 127.0.0.1:${port};`,
    '10.0.0.11:8080': `127.0.0.1:${first}`,
    '10.0.0.12:8080': `127.0.0.1:${second}`,
    '/var/log/nginx/coffer.log': logFile,
  });
  const file = join(folder, 'coffer.conf');
  writeFileSync(file, edit(configuration));
  writeFileSync(join(folder, 'nginx.conf'), nginxAround(folder));
  const child = spawn('nginx', ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], {
    ...owner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const line = /^\S+ (\S+) \S+ (\d+) \[([^\]]*)\]/;
  const log = (): string => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : '');
  const proxy = await running(child, port, log, line, folder);
  const reload: Nginx['reload'] = (change) => {
    writeFileSync(file, change(readFileSync(file, 'utf8')));
    child.kill('SIGHUP');
  };
  return { ...proxy, reload };
}

/** The configuration of a distribution that includes the file. */
function nginxAround(folder: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
worker_processes 2;
pid ${folder}/nginx.pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
  ${kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n  ')}
  include ${folder}/coffer.conf;
}
`;
}

async function startHaproxy(
  port: number,
  [first, second]: readonly number[],
  edit = (configuration: string): string => configuration,
): Promise<Proxy> {
  const folder = ownFolder();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, edit(textOf('haproxy.cfg')));
  const child = spawn('haproxy', ['-db', '-f', file], {
    ...owner,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      COFFER_BIND: `127.0.0.1:${port}`,
      COFFER_NODE_1: `127.0.0.1:${first}`,
      COFFER_NODE_2: `127.0.0.1:${second}`,
    },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const line = /^(?:<\d+>)?\S+ (\S+) \S* (\d+) \[([^\]]*)\]/;
  return running(child, port, () => output, line, folder);
}

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-proxy-'));
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  return folder;
}

/** The complete lines of a log; `pattern` captures method, status and addresses. */
function linesOf(log: string, pattern: RegExp): LogLine[] {
  return log
    .slice(0, log.lastIndexOf('\n') + 1)
    .split('\n')
    .flatMap((line) => {
      const [matched, method = '', status, addresses = ''] = pattern.exec(line) ?? [];
      const port = /:(\d+)$/.exec(addresses)?.[1];
      if (matched === undefined) return [];
      return [{ method, status: Number(status), port: port === undefined ? null : Number(port) }];
    });
}

async function running(
  child: ChildProcess,
  port: number,
  text: () => string,
  line: RegExp,
  folder: string,
): Promise<Proxy> {
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const deadlineMs = performance.now() + startTimeoutMs;
  while (!(await isOpen(port))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      await stop();
      throw new Error(`The proxy did not start:\n${errors}`);
    }
    await wait(10);
  }
  return { url: `http://127.0.0.1:${port}`, log: () => linesOf(text(), line), text, stop };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
