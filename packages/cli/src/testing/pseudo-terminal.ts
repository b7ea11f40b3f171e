import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after } from 'node:test';
import { stripVTControlCharacters } from 'node:util';

const guard = join(import.meta.dirname, '../../coffer.cjs');

/** Runs a command in a pseudo-terminal of 160 columns, which passes on what it reads. Ends with the same exit code. */
const program = `
import fcntl, os, pty, struct, sys, termios
def size(fd):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 160, 0, 0))
    return os.read(fd, 1024)
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], size)))
`;

export const down = '\u001b[B';
export const enter = '\r';
export const cancel = '\u0003';

/** Why there is no pseudo-terminal here, or false. */
export const withoutPseudoTerminal: string | false =
  spawnSync('python3', ['-c', 'import pty, os; os.waitstatus_to_exitcode']).status === 0
    ? false
    : 'missing: python3 with the module pty';

/** What a user reads and then types. */
export type Dialogue = readonly (readonly [sees: RegExp, types: string])[];

/**
 * Runs the whole command in a pseudo-terminal. Types each text as soon as the command shows what comes before it.
 * Resolves to the exit code and to everything that was shown, without control characters.
 */
export async function runInTerminal(
  args: readonly string[],
  dialogue: Dialogue,
): Promise<{ code: number | null; shown: string }> {
  const environment = { PATH: process.env['PATH'], TERM: 'xterm', LANG: 'C.UTF-8' };
  const command = [process.execPath, guard, ...args];
  const child: ChildProcessWithoutNullStreams = spawn('python3', ['-c', program, ...command], {
    env: { ...environment, NODE_NO_WARNINGS: '1' },
  });
  after(() => child.kill('SIGKILL'));
  const left = [...dialogue];
  let shown = '';
  let read = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    const [next] = left;
    const fresh = stripVTControlCharacters(shown.slice(read));
    if (next?.[0].test(fresh) !== true) return;
    left.shift();
    read = shown.length;
    child.stdin.write(next[1]);
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code] = (await once(child, 'close')) as [number | null];
  const plain = stripVTControlCharacters(shown).replaceAll('\r\n', '\n');
  if (left.length > 0) throw new Error(`${left[0]![0]} was not shown:\n${plain}${errors}`);
  return { code, shown: plain };
}
