import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A file system of its own that can be filled to the last byte. */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all the room that is left. */
  fill(): void;
  /** Gives back what {@link fill} took. */
  free(): void;
}

/** What mounting a file system needs besides the command; named so that it is never found when it is not to be had. */
export const mountNeeds: readonly string[] = mayMount() ? ['mount'] : ['mount', 'CAP_SYS_ADMIN'];

/** Mounts a disk of that size, in memory, below `parent` for `work`, and takes it away whatever happens. */
export async function onSmallDisk<T>(
  parent: string,
  sizeBytes: number,
  work: (disk: SmallDisk) => Promise<T>,
): Promise<T> {
  const folder = join(parent, 'disk');
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes},mode=700`, 'tmpfs', folder]);
  const ballast = join(folder, 'ballast');
  try {
    return await work({
      folder,
      fill: () => fill(ballast),
      free: () => rmSync(ballast, { force: true }),
    });
  } finally {
    // At once for all who look, also when a process that was killed has not quite let go.
    execFileSync('umount', ['--lazy', folder]);
  }
}

function fill(file: string): void {
  const descriptor = openSync(file, 'a');
  try {
    for (let size = 65_536; size >= 1;) {
      try {
        writeSync(descriptor, Buffer.alloc(size));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Whether this process has the right to mount: bit 21 of its capabilities (capabilities(7)). */
function mayMount(): boolean {
  try {
    const set = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return ((BigInt(`0x${set ?? '0'}`) >> 21n) & 1n) === 1n;
  } catch {
    return false;
  }
}
