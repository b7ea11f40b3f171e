import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const command = new URL('../../packages/cli/coffer.cjs', import.meta.url).pathname;

/** Runs a command, and returns what it prints. Rejects when it fails. */
export async function coffer(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [command, ...args])).stdout;
}
