import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** A file system in memory, which Linux has. */
const MEMORY = '/dev/shm';
/** More than all tests need at a time. */
const NEEDED_BYTES = 2 * 1024 ** 3;

/**
 * Makes a folder in memory for the temporary files of tests, and removes it when the process ends: databases of tests
 * are flushed to the disk thousands of times. Returns null where memory has no room, or may not hold programs.
 */
export function makeMemoryFolder(): string | null {
  if (!isUsable()) return null;
  const folder = mkdtempSync(join(MEMORY, 'coffer-tests-'));
  // Servers of tests may run as another user.
  chmodSync(folder, 0o1777);
  // A process of a test that was killed may still write.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

function isUsable(): boolean {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const [, , type, options = ''] = mounts
      .find((line) => line.split(' ')[1] === MEMORY)!
      .split(' ');
    const { bavail, bsize } = statfsSync(MEMORY);
    return (
      type === 'tmpfs' && !options.split(',').includes('noexec') && bavail * bsize > NEEDED_BYTES
    );
  } catch {
    return false;
  }
}
