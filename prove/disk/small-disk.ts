import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A separate file system that can be filled to the last byte. */
export interface SmallDisk {
  readonly folder: string;
  fill(): void;
  free(): void;
}

/** The commands that mounting needs. Without the right to mount, one of them is a name that is never found. */
export const mountNeeds: readonly string[] = mayMount() ? ['mount'] : ['mount', 'CAP_SYS_ADMIN'];

export async function onSmallDisk<T>(
  parent: string,
  sizeBytes: number,
  work: (disk: SmallDisk) => Promise<T>,
): Promise<T> {
  const folder = join(parent, 'disk');
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes},mode=700`, 'tmpfs', folder]);
  const ballast = join(folder, 'ballast');
  const free = (): void => rmSync(ballast, { force: true });
  try {
    return await work({ folder, fill: () => fill(ballast), free });
  } finally {
    // Takes effect at once, even while a killed process still uses the folder.
    execFileSync('umount', ['--lazy', folder]);
  }
}

function fill(file: string): void {
  const descriptor = openSync(file, 'a');
  for (let size = 65_536; size >= 1;)
    try {
      writeSync(descriptor, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      size = Math.floor(size / 2);
    }
  closeSync(descriptor);
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
