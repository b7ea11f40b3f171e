import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What a program said, and how it ended. */
export interface ProgramOutcome {
  /** The exit code, or the name of the signal that ended it. */
  readonly code: number | NodeJS.Signals;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program with its arguments to its end. */
export async function runProgram(program: readonly string[]): Promise<ProgramOutcome> {
  const [executable = '', ...rest] = program;
  const child = spawn(executable, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code: code ?? signal ?? 0, output, errors };
}
