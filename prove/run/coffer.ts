import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseUrl, type Owner } from './book.ts';

/** The program `coffer`; arguments follow. */
export const cofferProgram: readonly string[] = [
  process.execPath,
  join(import.meta.dirname, '../../packages/cli/coffer.cjs'),
];
const timeoutMs = 300_000;

/** What a program printed, and how it ended. */
export interface Said {
  /** The exit code, or the name of the signal that ended it. */
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a program is started with besides its arguments. */
export interface ProgramOptions {
  /** Added to this process's own environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** It is killed after this time; 300,000 unless given. */
  readonly timeoutMs?: number;
}

/** Runs a program with its arguments to its end. */
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

/** Runs `coffer` in a process of its own. */
export function coffer(...args: readonly string[]): Promise<Said> {
  return runProgram([...cofferProgram, ...args]);
}

/** As {@link coffer}, and returns what it printed. Rejects when it does not end with 0. */
export async function cofferPrints(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await coffer(...args);
  if (code !== 0) throw new Error(`coffer ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Starts `coffer`, kills it after `delayMs` unless it has ended by then, and resolves when it is gone. */
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

/** What an import is of. */
interface ImportJob {
  /** A path, or a URL. */
  readonly database: string;
  readonly email: string;
  readonly files: readonly string[];
  /** What runs the command instead of nothing, such as `strace` with its arguments. */
  readonly runner?: readonly string[];
  /** Called when the command has said that a file is in, with the file's index. */
  readonly onImported: (index: number) => void;
}

/** A `coffer import` that is running. */
export interface ImportProcess {
  readonly kill: () => void;
  readonly ended: Promise<Pick<Said, 'code' | 'stderr'>>;
}

/** Starts `coffer import`, which imports the files one by one, each whole or not at all. */
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
      if (!line.startsWith('{"imported":')) continue;
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
