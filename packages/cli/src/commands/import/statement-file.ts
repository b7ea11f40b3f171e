import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printable } from '@coffer/core/text';
import { isZip } from '@coffer/core/zip';
import type { RandomBytes } from '@coffer/core/zip';
import { gunzip, isGzip, unzip } from '@coffer/statements';
import type { StatementSource } from '@coffer/statements';
import { Failure } from '../../failure.ts';
import { quote } from '../../terminal/format.ts';
import { startProgress } from '../../terminal/progress.ts';
import type { ProgressContext } from '../../terminal/progress.ts';

const chunkBytes = 262_144;

/** Receives the number of bytes read since the file was last opened. */
type OnRead = (bytes: number) => void;

/** An open file with a statement. */
export interface StatementFile {
  /** The length of the uncompressed content. */
  readonly bytes: number;
  source(onRead: OnRead): StatementSource;
  close(): void;
}

/** Checks that a path is a file that can be read more than once. Returns its length in bytes. */
export function checkStatementFile(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new Failure(`There is no file ${quote(path)}`);
  if (stats.isFile()) return stats.size;
  const what = stats.isDirectory()
    ? 'a directory'
    : 'not a regular file, but an import reads files more than once';
  throw new Failure(`Cannot import ${quote(path)}: it is ${what}`);
}

/**
 * Opens a file. A file compressed with gzip, or in a ZIP archive, is decompressed into a temporary file. If that fails,
 * the source throws the error after the content before it. A spreadsheet is an archive too, but is left as it is.
 */
export async function openStatementFile(
  path: string,
  context: ProgressContext,
): Promise<StatementFile> {
  const bytes = checkStatementFile(path);
  const file = openSync(path, 'r');
  const [head] = readChunks(file);
  if (head === undefined || !(isGzip(head) || isZip(head))) return statementFile(file, bytes, null);
  const work = { name: `Decompressing ${printable(path)}`, unit: 'bytes', total: bytes } as const;
  const progress = await startProgress(work, context);
  const unpacked = openTemporary();
  try {
    let length = 0;
    const write = (piece: Uint8Array): void => {
      writeFileSync(unpacked, piece);
      length += piece.length;
    };
    const onRead: OnRead = (done) => progress.update(done);
    const fault = isGzip(head)
      ? await gunzip(readChunks(file, onRead), write)
      : await unzip(randomBytes(file, bytes, onRead), write);
    if (fault === 'spreadsheet') {
      closeSync(unpacked);
      return statementFile(file, bytes, null);
    }
    closeSync(file);
    return statementFile(unpacked, length, fault);
  } catch (error) {
    closeSync(unpacked);
    closeSync(file);
    throw error;
  } finally {
    progress.stop();
  }
}

/** Returns the SHA-256 of a file as it is stored, in hexadecimal digits. */
export function hashFile(path: string): string {
  const hash = createHash('sha256');
  const file = openSync(path, 'r');
  try {
    for (const chunk of readChunks(file)) hash.update(chunk);
    return hash.digest('hex');
  } finally {
    closeSync(file);
  }
}

/** Reads any part of a file. */
function randomBytes(file: number, length: number, onRead: OnRead): RandomBytes {
  return {
    length,
    read: (at, count) => {
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(count, length - at)));
      const read = readSync(file, bytes, 0, bytes.length, at);
      onRead(Math.min(at + read, length));
      return bytes.subarray(0, read);
    },
  };
}

function statementFile(file: number, bytes: number, fault: Error | null): StatementFile {
  return {
    bytes,
    source: (onRead) => ({
      *open() {
        yield* readChunks(file, onRead);
        if (fault !== null) throw fault;
      },
    }),
    close: () => closeSync(file),
  };
}

/** Opens a new file and removes its name: only this process can read it, and it is deleted with the process. */
function openTemporary(): number {
  const path = join(tmpdir(), `coffer-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

/** Reads a file from its start. */
function* readChunks(file: number, onRead: OnRead = () => undefined): Generator<Uint8Array> {
  for (let position = 0; ;) {
    // New memory each time, because the reader may still use the previous chunk.
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const length = readSync(file, chunk, 0, chunkBytes, position);
    if (length === 0) return;
    position += length;
    onRead(position);
    yield chunk.subarray(0, length);
  }
}
