import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { memoryOf, processorTimeMs } from './processor-time.ts';

const command = new URL('../../packages/cli/coffer.cjs', import.meta.url).pathname;

export interface CommandRun {
  /** The first 100,000 characters of its standard output. */
  readonly stdout: string;
  readonly digest: string;
  readonly seconds: number;
  /** Processor time; 0 where there is no /proc. */
  readonly cpuMs: number;
  readonly peakMB: number;
}

export async function coffer(...args: readonly string[]): Promise<CommandRun> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [command, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const hash = createHash('sha256');
  let stdout = '';
  let [peakBytes, cpuMs] = [0, 0];
  child.stdout.on('data', (chunk: Buffer) => {
    hash.update(chunk);
    if (stdout.length < 100_000) stdout += chunk.toString();
  });
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, memoryOf(child.pid!, 'VmHWM'));
    if (peakBytes > 0) cpuMs = Math.max(cpuMs, processorTimeMs(child.pid!));
  }, 200);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(watch);
  assert.equal(code, 0, `coffer ${args.join(' ')}`);
  const seconds = (performance.now() - startedMs) / 1000;
  const peakMB = Math.round(peakBytes / 1_024_000);
  return { stdout, digest: hash.digest('hex'), seconds, cpuMs, peakMB };
}
