import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Longer than any test file takes on a busy machine, and than any one test does. */
const timeoutMs = 150_000;
const testTimeoutMs = 60_000;
/** What the reporter prints for a test that fails. */
const failure = 'X';

/**
 * Whether all tests of a file pass, in a process group of its own.
 *
 * The group is ended at the first test that fails, and when it takes too long; what it leaves behind lies in `folder`.
 */
export async function passes(folder: string, file: string): Promise<boolean> {
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary, { recursive: true });
  // A database server that refuses to run as root has to come through.
  chmodSync(folder, 0o711);
  const limits = ['--test-force-exit', `--test-timeout=${testTimeoutMs}`];
  const args = ['--test', ...limits, '--test-reporter=dot', file];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    // In the environment of a test, the runner would report to that test and always end with 0.
    env: { ...process.env, CI: '', TMPDIR: temporary, NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const end = (): void => endGroup(child.pid);
  const deadline = setTimeout(end, timeoutMs);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes(failure)) end();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(deadline);
  end();
  return code === 0;
}

/** Ends a process and whatever it left behind. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
}
