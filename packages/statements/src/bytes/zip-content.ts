import { crc32 } from 'node:zlib';
import { damaged, ZIP_METHODS, zipDataAt } from '@coffer/core/zip';
import type { RandomBytes, ZipEntry } from '@coffer/core/zip';
import { inflate, PackedBytes } from './inflate.ts';

const PIECE_BYTES = 65_536;
const KIND = 'The ZIP archive';

/**
 * The content of a file of an archive, in pieces of at most 64 KiB.
 * Errors: ZipError or Refusal if it is damaged, encrypted or in an unusual format.
 */
export async function* zipContent(
  archive: RandomBytes,
  entry: ZipEntry,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  let checksum = 0;
  const data = dataOf(archive, zipDataAt(archive, entry), entry.packedBytes);
  const isStored = entry.method === ZIP_METHODS.stored;
  for await (const piece of isStored ? data : inflate(new PackedBytes(data), KIND)) {
    length += piece.length;
    checksum = crc32(piece, checksum);
    if (length > entry.bytes) throw damaged();
    yield piece;
  }
  if (length !== entry.bytes || checksum !== entry.checksum) throw damaged();
}

function* dataOf(archive: RandomBytes, from: number, length: number): Generator<Uint8Array> {
  for (let at = 0; at < length; at += PIECE_BYTES) {
    yield archive.read(from + at, Math.min(PIECE_BYTES, length - at));
  }
}
