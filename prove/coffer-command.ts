import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { Owner } from './book.ts';

const command = join(import.meta.dirname, '../packages/cli/coffer.cjs');
const timeoutMs = 300_000;
const mostOutputBytes = 2 ** 30;

/** How a command ended and what it said. */
export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `coffer` in a process of its own. */
export function coffer(...args: readonly string[]): Promise<Said> {
  const { promise, resolve } = Promise.withResolvers<Said>();
  const options = { timeout: timeoutMs, maxBuffer: mostOutputBytes };
  execFile(process.execPath, [command, ...args], options, (error, stdout, stderr) => {
    const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
    resolve({ code, stdout, stderr });
  });
  return promise;
}

/** As {@link coffer}, and what it printed. Rejects when it does not end with 0. */
export async function cofferPrints(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await coffer(...args);
  if (code !== 0) throw new Error(`coffer ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** The options that name the book of an owner. */
export function whose({ email }: Owner, database: string): string[] {
  return ['--email', email, '--database', `sqlite:${database}`];
}
