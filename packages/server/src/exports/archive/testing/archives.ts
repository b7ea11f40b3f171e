import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readTarHeader, TAR_BLOCK, tarEnd, tarHeader, tarPadding } from '@coffer/core/tar';
import { newFolder } from '../../../db/testing/folder.ts';
import type { FileStore } from '../../../files/store.ts';

/** A file of an archive. */
export interface TestFile {
  readonly name: string;
  readonly content: Buffer;
}

/** A line with a record. */
export interface TestLine {
  readonly table: string;
  readonly row: Record<string, unknown>;
}

/** Writes bytes to a new file, and returns its path. */
export function written(bytes: Uint8Array): string {
  // A folder for each: one worker runs several files of tests, and a folder ends with the first.
  const path = join(newFolder(), 'archive.tar.gz');
  writeFileSync(path, bytes);
  return path;
}

/** Returns the files of an archive. */
export function unpacked(archive: Uint8Array): TestFile[] {
  const tar = gunzipSync(archive);
  const found: TestFile[] = [];
  for (let at = 0; ;) {
    const entry = readTarHeader(tar.subarray(at, at + TAR_BLOCK));
    if (entry === null) return found;
    const content = tar.subarray(at + TAR_BLOCK, at + TAR_BLOCK + entry.size);
    found.push({ name: entry.name, content });
    at += TAR_BLOCK + entry.size + tarPadding(entry.size);
  }
}

/** Returns an archive of files. */
export function packed(all: readonly TestFile[]): Buffer {
  return gzipSync(tarOf(all));
}

/** Returns a tar file. */
export function tarOf(all: readonly TestFile[]): Buffer {
  const parts = all.flatMap(({ name, content }) => [
    tarHeader({ name, size: content.length }),
    content,
    new Uint8Array(tarPadding(content.length)),
  ]);
  return Buffer.concat([...parts, tarEnd]);
}

/** Returns the records of files of an archive. */
export function linesOf(all: readonly TestFile[]): TestLine[] {
  const texts = all
    .filter(({ name }) => name.startsWith('records/'))
    .map(({ content }) => content.toString());
  return texts
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as TestLine);
}

/** A file store in memory. */
export function memoryStore(): FileStore & { readonly kept: Map<string, Uint8Array> } {
  const kept = new Map<string, Uint8Array>();
  return {
    kept,
    write: (key, bytes) => Promise.resolve(void kept.set(key, Uint8Array.from(bytes))),
    read: (key) => Promise.resolve(kept.get(key) ?? null),
    size: (key) => Promise.resolve(kept.get(key)?.length ?? null),
    remove: (key) => Promise.resolve(void kept.delete(key)),
    async *list() {
      await Promise.resolve();
      for (const key of kept.keys()) yield { key, modifiedAtMs: 0 };
    },
    linkTo: () => null,
  };
}
