import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseUrl, type Owner } from './owners.ts';

export const cofferProgram: readonly string[] = [
  process.execPath,
  join(import.meta.dirname, '../../packages/cli/coffer.cjs'),
];

export interface Said {
  /** The exit code, or the name of the signal that ended it. */
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** The program is killed after this time; 300,000 by default. */
  readonly timeoutMs?: number;
  readonly onLine?: (line: string) => void;
}

export interface Running {
  readonly kill: (signal?: NodeJS.Signals) => void;
  readonly ended: Promise<Said>;
}

export function startRunning(
  [executable = '', ...rest]: readonly string[],
  { environment, timeoutMs = 300_000, onLine = () => undefined }: ProgramOptions = {},
): Running {
  const child = spawn(executable, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let [stdout, stderr, told] = ['', '', 0];
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (let end = stdout.indexOf('\n', told); end !== -1; end = stdout.indexOf('\n', told)) {
      onLine(stdout.slice(told, end));
      told = end + 1;
    }
  });
  const ended = once(child, 'close').then(([code, signal]) => {
    return { code: (code ?? signal ?? -1) as Said['code'], stdout, stderr };
  });
  return { kill: (signal = 'SIGKILL') => void child.kill(signal), ended };
}

export function runProgram(program: readonly string[], options?: ProgramOptions): Promise<Said> {
  return startRunning(program, options).ended;
}

export function coffer(...args: readonly string[]): Promise<Said> {
  return runProgram([...cofferProgram, ...args]);
}

/** Like {@link coffer}, but returns its output. Rejects when the exit code is not 0. */
export async function cofferPrints(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await coffer(...args);
  if (code !== 0) throw new Error(`coffer ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

export async function killCoffer(
  args: readonly string[],
  delayMs: number,
  signal?: NodeJS.Signals,
): Promise<Said> {
  const { kill, ended } = startRunning([...cofferProgram, ...args]);
  await Promise.race([sleep(delayMs), ended]);
  kill(signal);
  return ended;
}

export function whose({ email }: Pick<Owner, 'email'>, database: string): string[] {
  return ['--email', email, '--database', databaseUrl(database)];
}
