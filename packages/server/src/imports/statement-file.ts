import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RandomBytes } from '@coffer/core/zip';
import type { Scratch } from '@coffer/statements/src/statement/kept.ts';
import type { StatementSource } from '@coffer/statements/src/statement/statement.ts';

const chunkBytes = 262_144;

/** Receives the number of bytes read since the file was last opened. */
type OnRead = (bytes: number) => void;

/** An open file with a statement. */
export interface StatementFile {
  /** The length of the unpacked content. */
  readonly bytes: number;
  source(onRead?: OnRead): StatementSource;
  close(): void;
}

/** How a packed file is unpacked. */
export interface UnpackOptions {
  /** The most bytes of its content. Default: 2 GiB. */
  readonly maxBytes?: number;
  /** Called while it is unpacked. */
  readonly onRead?: OnRead;
}

/**
 * Returns the statement in an open file. A packed file is unpacked into a temporary one. If that fails, the source
 * throws the error after the content before it. A spreadsheet is an archive too, but is left as it is. `close` closes
 * the temporary files, also those in which a reader has kept what it read; the caller closes its own.
 */
export async function statementFileOf(
  file: number,
  bytes: number,
  options: UnpackOptions = {},
): Promise<StatementFile> {
  if (!isPacked(file)) return statementFile(file, bytes);
  const unpacked = openTemporary();
  try {
    const { fault, length } = await unpackInto(unpacked, file, bytes, options);
    if (fault !== 'spreadsheet')
      return statementFile(unpacked, length, fault, () => closeSync(unpacked));
    closeSync(unpacked);
    return statementFile(file, bytes);
  } catch (error) {
    closeSync(unpacked);
    throw error;
  }
}

async function unpackInto(
  unpacked: number,
  file: number,
  bytes: number,
  { maxBytes, onRead = () => undefined }: UnpackOptions,
): Promise<{ fault: Error | 'spreadsheet' | null; length: number }> {
  // The readers would slow the start of every command.
  const { gunzip, isGzip } = await import('@coffer/statements/src/bytes/unpack.ts');
  const { unzip } = await import('@coffer/statements/src/unzip.ts');
  let length = 0;
  const write = (piece: Uint8Array): void => {
    writeFileSync(unpacked, piece);
    length += piece.length;
  };
  const [head] = readChunks(file);
  const fault = isGzip(head!)
    ? await gunzip(readChunks(file, onRead), write, maxBytes)
    : await unzip(randomBytes(file, bytes, onRead), write, maxBytes);
  return { fault, length };
}

/** Returns the SHA-256 of an open file as it is stored, in hexadecimal digits. */
export function hashFile(file: number): string {
  const hash = createHash('sha256');
  for (const chunk of readChunks(file)) hash.update(chunk);
  return hash.digest('hex');
}

/** Opens a new file and removes its name: only this process can read it, and it is deleted with the process. */
export function openTemporary(): number {
  const path = join(tmpdir(), `coffer-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

/** Reads a file from its start. */
export function* readChunks(
  file: number,
  onRead: OnRead = () => undefined,
): Generator<Uint8Array<ArrayBuffer>> {
  const { size } = fstatSync(file);
  for (let position = 0; ;) {
    // New memory each time, because the reader may still use the previous chunk.
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(size - position, 1024)));
    const length = readSync(file, chunk, 0, chunk.length, position);
    if (length === 0) return;
    position += length;
    onRead(position);
    yield chunk.subarray(0, length);
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

function statementFile(
  file: number,
  bytes: number,
  fault: Error | null = null,
  close: () => void = () => undefined,
): StatementFile {
  const kept: number[] = [];
  return {
    bytes,
    source: (onRead) => ({
      *open() {
        yield* readChunks(file, onRead);
        if (fault !== null) throw fault;
      },
      scratch: () => scratchFile(kept),
    }),
    close: () => {
      for (const each of kept.splice(0)) closeSync(each);
      close();
    },
  };
}

/** A temporary file for what was read, which is opened when it is needed, and added to `files`. */
export function scratchFile(files: number[]): Scratch {
  let file: number | null = null;
  return {
    write: (bytes) => {
      if (file === null) files.push((file = openTemporary()));
      writeFileSync(file, bytes);
    },
    read: (at, length) => {
      const bytes = Buffer.allocUnsafe(length);
      for (let from = 0; from < length;) {
        const read = readSync(file!, bytes, from, length - from, at + from);
        if (read === 0) throw new Error('The temporary file of an import is cut off');
        from += read;
      }
      return bytes;
    },
  };
}

/** Whether an open file is packed: with gzip, or in a ZIP archive. Loads no reader. */
export function isPacked(file: number): boolean {
  const head = Buffer.alloc(4);
  readSync(file, head, 0, head.length, 0);
  return isPackedHead(head);
}

/** Whether a file that begins with these bytes is packed. */
export function isPackedHead(head: Uint8Array): boolean {
  const start = Buffer.from(head.subarray(0, 4)).toString('latin1');
  return start.startsWith('\x1f\x8b') || start === 'PK\x03\x04';
}
