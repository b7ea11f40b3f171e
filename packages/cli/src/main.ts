import { isatty } from 'node:tty';
import { runCommandLine } from './command-line.ts';

/**
 * Runs the `coffer` command with the arguments `argv`. Resolves to the exit code.
 *
 * 0: done. 1: refused or failed. 2: misuse. Rejects only for a bug in Coffer.
 */
export function main(argv: readonly string[]): Promise<number> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe);
  return runCommandLine(argv, {
    // A getter, because most commands do not open it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    isTerminal: isatty(process.stderr.fd),
    environment: process.env,
    now: () => new Date(),
  });
}

/** A reader such as `head` may stop reading before the end. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
