import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Resolves links in a path, even if the file does not exist, so that all names of a file share one lock. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return existsSync(folder) ? join(realpathSync(folder), basename(path)) : path;
  }
}

/** Whether both names refer to the same file. */
export function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (first === undefined || second === undefined) return false;
  return first.ino === second.ino && first.dev === second.dev;
}

/** Returns a unique name in the folder of `file`, so that a rename stays within one file system. */
export function temporaryName(file: string): string {
  return join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`);
}

/** Removes a temporary file and its journal. */
export function removeTemporary(temporary: string): void {
  for (const end of ['', '-journal']) rmSync(temporary + end, { force: true });
}

/** Returns the name, or if it is taken the first free name of `name-2`, `name-3` and so on. */
export function freeName(name: string): string {
  for (let n = 1; ; n += 1) {
    const free = n === 1 ? name : `${name}-${n}`;
    if (!existsSync(free)) return free;
  }
}

/** Returns a time in UTC for a file name, such as `20261120T120000Z`. */
export function fileTime(now: Date): string {
  return `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** Syncs a file to the disk and returns its size in bytes. */
export function syncFile(path: string): number {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

/** Syncs the folder of a file to the disk, because fsync of the file does not sync its name. */
export function syncFolderOf(file: string): void {
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
