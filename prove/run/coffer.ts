import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseUrl, type Owner } from './book.ts';

/** The command `coffer`, to be followed by its arguments. */
export const cofferProgram: readonly string[] = [
  process.execPath,
  join(import.meta.dirname, '../../packages/cli/coffer.cjs'),
];
const timeoutMs = 300_000;

/** The output of a program, and how it ended. */
export interface Said {
  /** The exit code, or the name of the signal that ended it. */
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a program is started, apart from its arguments. */
export interface ProgramOptions {
  /** Added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The program is killed after this time; 300,000 by default. */
  readonly timeoutMs?: number;
}

/** Runs a program and waits for its end. */
export async function runProgram(
  program: readonly string[],
  options: ProgramOptions = {},
): Promise<Said> {
  const [executable = '', ...rest] = program;
  const child = spawn(executable, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.environment },
    timeout: options.timeoutMs ?? timeoutMs,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code: code ?? signal ?? -1, stdout, stderr };
}

/** Runs `coffer` in its own process. */
export function coffer(...args: readonly string[]): Promise<Said> {
  return runProgram([...cofferProgram, ...args]);
}

/** Like {@link coffer}, but returns its output. Rejects when the exit code is not 0. */
export async function cofferPrints(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await coffer(...args);
  if (code !== 0) throw new Error(`coffer ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Starts `coffer`, kills it after `delayMs` unless it has ended, and resolves when the process has ended. */
export async function killCoffer(args: readonly string[], delayMs: number): Promise<void> {
  const [executable = '', ...rest] = [...cofferProgram, ...args];
  const child = spawn(executable, rest, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await Promise.race([sleep(delayMs), ended]);
  child.kill('SIGKILL');
  await ended;
}

/** The options that name the book of an owner. */
export function whose({ email }: Pick<Owner, 'email'>, database: string): string[] {
  return ['--email', email, '--database', databaseUrl(database)];
}

/** Which files are imported, and where. */
interface ImportJob {
  /** A path, or a URL. */
  readonly database: string;
  readonly email: string;
  readonly files: readonly string[];
  /** A program that runs the command, such as `strace` with its arguments. */
  readonly runner?: readonly string[];
  /** Called with the index of each file that the command reports as imported. */
  readonly onImported: (index: number) => void;
}

/** A `coffer import` that is running. */
export interface ImportProcess {
  readonly kill: () => void;
  readonly ended: Promise<Pick<Said, 'code' | 'stderr'>>;
}

/** Starts `coffer import`, which imports the files one by one, each completely or not at all. */
export function startImport(job: ImportJob): ImportProcess {
  const { database, files, runner = [] } = job;
  const args = ['import', '--json', ...whose(job, database), ...files];
  const [executable = '', ...rest] = [...runner, ...cofferProgram, ...args];
  const child = spawn(executable, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  let unfinished = '';
  let imported = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('{"import_id":')) continue;
      job.onImported(imported);
      imported += 1;
    }
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: (code ?? signal) as Said['code'],
    stderr,
  }));
  return { kill: () => void child.kill('SIGKILL'), ended };
}
