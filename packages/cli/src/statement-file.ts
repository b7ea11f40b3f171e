import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { StatementSource } from '@coffer/statements';
import { Failure } from './failure.ts';
import { quote } from './printable.ts';

const chunkBytes = 262_144;

/** Checks that a path is a file that can be read more than once, and returns its length in bytes. */
export function checkStatementFile(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new Failure(`There is no file ${quote(path)}`);
  if (stats.isFile()) return stats.size;
  const what = stats.isDirectory()
    ? 'a directory'
    : 'not a regular file, and it is read more than once';
  throw new Failure(`Cannot import ${quote(path)}: it is ${what}`);
}

/** A statement in a file; `onRead` hears how many bytes were read since the file was opened last. */
export function statementFile(path: string, onRead: (bytes: number) => void): StatementSource {
  return { open: () => readChunks(path, onRead) };
}

function* readChunks(path: string, onRead: (bytes: number) => void): Generator<Uint8Array> {
  const file = openSync(path, 'r');
  let total = 0;
  try {
    for (;;) {
      // A new piece of memory each time: the reader may hold on to the one before.
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const length = readSync(file, chunk, 0, chunkBytes, null);
      if (length === 0) return;
      total += length;
      onRead(total);
      yield chunk.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}
