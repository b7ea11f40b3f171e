import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printable } from '@coffer/core/text';
import { gunzip, isGzip } from '@coffer/statements';
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
 * Opens a file. A file compressed with gzip is decompressed into a temporary file. If that fails, the source throws the
 * error after the content before it.
 */
export async function openStatementFile(
  path: string,
  context: ProgressContext,
): Promise<StatementFile> {
  const bytes = checkStatementFile(path);
  const file = openSync(path, 'r');
  const [head] = readChunks(file);
  if (head === undefined || !isGzip(head)) return statementFile(file, bytes, null);
  const work = { name: `Decompressing ${printable(path)}`, unit: 'bytes', total: bytes } as const;
  const progress = await startProgress(work, context);
  const unpacked = openTemporary();
  try {
    let length = 0;
    const packed = readChunks(file, (done) => progress.update(done));
    const fault = await gunzip(packed, (piece) => {
      writeFileSync(unpacked, piece);
      length += piece.length;
    });
    return statementFile(unpacked, length, fault);
  } catch (error) {
    closeSync(unpacked);
    throw error;
  } finally {
    progress.stop();
    closeSync(file);
  }
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
