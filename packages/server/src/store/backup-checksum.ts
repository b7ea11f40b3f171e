import { createHash } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';

/** Stands behind the last page of a backup, before the checksum. */
const magic = Buffer.from('Coffer backup 1\n', 'latin1');
const hashBytes = 32;
const trailerBytes = magic.length + hashBytes;
const chunkBytes = 1 << 20;

/**
 * Puts the SHA-256 of a database file behind its last page, and everything of the file on the disk.
 *
 * SQLite keeps no checksums of its own, so that it cannot tell a changed amount from an amount. It reads as many pages
 * as the header says and takes no notice of what lies behind them (https://sqlite.org/fileformat2.html, 1.3.6): the
 * file stays a database that any tool can open. Returns the bytes of the whole file.
 */
export function sealBackup(path: string): number {
  const file = openSync(path, 'r+');
  try {
    const { size } = fstatSync(file);
    const trailer = Buffer.concat([magic, hashOf(file, size)]);
    for (let at = 0; at < trailerBytes;) at += writeSync(file, trailer, at, undefined, size + at);
    fsyncSync(file);
    return size + trailerBytes;
  } finally {
    closeSync(file);
  }
}

/** Whether a file still is what {@link sealBackup} left; `unsealed` for one without a checksum. */
export function checkSeal(path: string): 'intact' | 'changed' | 'unsealed' {
  const file = openSync(path, 'r');
  try {
    const size = fstatSync(file).size - trailerBytes;
    const trailer = Buffer.alloc(trailerBytes);
    if (size < 0 || readSync(file, trailer, 0, trailerBytes, size) !== trailerBytes)
      return 'unsealed';
    if (!trailer.subarray(0, magic.length).equals(magic)) return 'unsealed';
    return trailer.subarray(magic.length).equals(hashOf(file, size)) ? 'intact' : 'changed';
  } finally {
    closeSync(file);
  }
}

function hashOf(file: number, size: number): Buffer {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(chunkBytes);
  for (let at = 0; at < size;) {
    const read = readSync(file, chunk, 0, Math.min(chunkBytes, size - at), at);
    if (read === 0) throw new Error('The file became shorter while it was read');
    hash.update(chunk.subarray(0, read));
    at += read;
  }
  return hash.digest();
}
