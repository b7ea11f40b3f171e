import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { endProgram, findProgram, onFreePort } from '../../packages/core/src/testing/starts.ts';
import type { Peer } from '../measure/child.ts';
import { processorTimeMs } from '../measure/processor-time.ts';
import { installPackages } from './install.ts';

const startTimeoutMs = 120_000;
const pollMs = 100;
/** Where systems keep servers, which the PATH of a user may lack. */
export const systemFolders = ['/usr/sbin', '/usr/local/sbin'];

export type Row = Readonly<Record<string, unknown>> & { readonly id: number };

interface PeerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly port: number;
  readonly path: string;
}

export async function startPeer(peer: PeerCommand): Promise<Peer> {
  const child = spawn(peer.command, peer.args, {
    cwd: peer.folder,
    env: { ...process.env, ...peer.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output = (output + text.toString()).slice(-2000)));
  child.once('error', (error) => (output += error.message));
  // A server must not outlive a bench that failed.
  const kill = (): unknown => child.kill();
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    await endProgram(child, 'SIGTERM');
  };
  const url = `http://127.0.0.1:${peer.port}${peer.path}`;
  const deadlineMs = performance.now() + startTimeoutMs;
  while (!(await responds(url))) {
    if (child.pid === undefined || child.exitCode !== null || performance.now() > deadlineMs) {
      await stop();
      throw new Error(`${peer.command} did not start: ${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  const pid = child.pid ?? 0;
  const usage: Peer['usage'] = () => Promise.resolve({ cpuMs: processorTimeMs(pid) });
  return { pid, port: peer.port, usage, stop };
}

async function responds(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => null);
  await response?.arrayBuffer();
  return response?.ok === true;
}

export async function startNginx(folder: string, file: string): Promise<Peer | null> {
  const command = findProgram('nginx', systemFolders);
  if (command === null) return null;
  const settings = join(folder, 'nginx.conf');
  const args = ['-p', folder, '-c', settings, '-e', 'stderr'];
  return onFreePort((port) => {
    writeFileSync(settings, settingsOf(folder, file, port));
    return startPeer({ command, args, folder, port, path: `/${basename(file)}` });
  });
}

/** Requests on one connection must not be counted, and a worker of root must be able to read the file. */
function settingsOf(folder: string, file: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    worker_processes 1;
    daemon off;
    pid ${join(folder, 'nginx.pid')};
    events { worker_connections 256; }
    http {
      access_log off;
      sendfile on;
      keepalive_requests 1000000000;
      default_type application/json;
      ${temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ')}
      server { listen 127.0.0.1:${port}; root ${dirname(file)}; }
    }`;
}

const jsonServerVersion = '1.0.0-beta.15';

export async function startJsonServer(folder: string, rows: readonly Row[]): Promise<Peer> {
  const dependencies = { 'json-server': jsonServerVersion };
  const packages = await installPackages({ name: 'json-server', dependencies });
  const file = join(folder, 'db.json');
  writeFileSync(file, JSON.stringify({ transactions: rows }));
  const program = join(packages, 'node_modules/json-server/lib/bin.js');
  return onFreePort((port) => {
    const args = [program, '--host', '127.0.0.1', '--port', String(port), file];
    return startPeer({ command: process.execPath, args, folder, port, path: '/transactions/1' });
  });
}

export function jsonServerPage(limit: number, offset: number): string {
  return `/transactions?_page=${offset / limit + 1}&_per_page=${limit}`;
}
