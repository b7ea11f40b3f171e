import { isPacked, hashFile, statementFileOf } from '@coffer/server/src/imports/statement-file.ts';
import { closeSync, openSync, statSync } from 'node:fs';
import { printable } from '@coffer/core/text';
import type { StatementFile } from '@coffer/server/src/imports/statement-file.ts';
import { Failure } from '../../terminal/failure.ts';
import { quote } from '../../terminal/format.ts';
import { startProgress, type ProgressContext } from '../../terminal/progress.ts';

/** A file with a statement, which `close` closes. */
export interface OpenFile extends StatementFile {
  /** Returns the SHA-256 of the file as it is stored, in hexadecimal digits. */
  hash(): string;
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

/** Opens a file, and shows the progress if it is packed. */
export async function openStatementFile(path: string, context: ProgressContext): Promise<OpenFile> {
  const bytes = checkStatementFile(path);
  const file = openSync(path, 'r');
  try {
    const unpacked = isPacked(file)
      ? await unpack(path, file, bytes, context)
      : await statementFileOf(file, bytes);
    const close = (): void => {
      unpacked.close();
      closeSync(file);
    };
    return { ...unpacked, hash: () => hashFile(file), close };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

async function unpack(
  path: string,
  file: number,
  total: number,
  context: ProgressContext,
): Promise<StatementFile> {
  const name = `Decompressing ${printable(path)}`;
  const progress = await startProgress({ name, unit: 'bytes', total }, context);
  try {
    return await statementFileOf(file, total, { onRead: (done) => progress.update(done) });
  } finally {
    progress.stop();
  }
}
