import { spawn } from 'node:child_process';
import { endProgram } from '../../packages/core/src/testing/starts.ts';

const startTimeoutMs = 120_000;
const pollMs = 100;

export interface Peer {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

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
  return { pid: child.pid ?? 0, port: peer.port, stop };
}

async function responds(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
