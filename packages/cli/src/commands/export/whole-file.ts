import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { Failure } from '../../terminal/failure.ts';
import { quote } from '../../terminal/format.ts';

/** Only the owner can read an export. */
const ownerOnly = 0o600;

/**
 * Writes a complete file or none: `write` fills a temporary file in the same folder, which is then renamed.
 *
 * Replaces an existing file and follows links. Throws {@link Failure} for anything but a regular file.
 */
export async function writeWholeFile(
  path: string,
  write: (destination: Writable) => Promise<void>,
): Promise<void> {
  const target = await findTarget(path);
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`);
  const file = await open(temporary, 'wx', ownerOnly);
  try {
    // Flushed before the rename: after a power cut the name must not refer to an empty file.
    await write(file.createWriteStream({ flush: true }));
    await rename(temporary, target);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}

async function findTarget(path: string): Promise<string> {
  try {
    if ((await stat(path)).isFile()) return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    throw error;
  }
  throw new Failure(`Cannot write to ${quote(path)}: it is not a regular file`);
}
