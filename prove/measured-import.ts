import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const command = join(import.meta.dirname, '../packages/cli/coffer.cjs');
/** Run before the command: when it ends, it writes what it took to the file that is named to it. */
const preload = `
  import { writeFileSync } from 'node:fs';
  process.once('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    const taken = { peakBytes: maxRSS * 1024, cpuMs: (userCPUTime + systemCPUTime) / 1000 };
    writeFileSync(process.env.PROVE_TAKEN, JSON.stringify(taken));
  });
`;
const preloadUrl = `data:text/javascript,${encodeURIComponent(preload)}`;

/** What an import did and what it took. */
export interface Measured {
  /** The exit code, or the name of the signal that ended it: SIGKILL when it took too long. */
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
  /** The most memory that it held at once. */
  readonly peakBytes: number;
  /** Time of processors, which other programs on the machine hardly change. */
  readonly cpuMs: number;
}

/** Runs `coffer import` in a process of its own, as a user would, for at most `timeoutMs`. */
export async function measuredImport(
  file: string,
  options: readonly string[],
  timeoutMs: number,
): Promise<Measured> {
  const taken = `${file}.taken`;
  const child = spawn(process.execPath, [command, 'import', file, '--json', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PROVE_TAKEN: taken, NODE_OPTIONS: `--import=${preloadUrl}` },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const { peakBytes, cpuMs } = await readTaken(taken);
  return { code: code ?? signal ?? -1, stdout, stderr, peakBytes, cpuMs };
}

/** A process that was killed has left nothing. */
async function readTaken(file: string): Promise<{ peakBytes: number; cpuMs: number }> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as { peakBytes: number; cpuMs: number };
  } catch {
    return { peakBytes: Infinity, cpuMs: Infinity };
  } finally {
    await rm(file, { force: true });
  }
}
