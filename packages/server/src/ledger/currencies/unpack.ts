import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import { damaged, isZip, readZip, ZIP_METHODS, zipDataAt, ZipError } from '@coffer/core/zip';
import type { RandomBytes, ZipEntry } from '@coffer/core/zip';

/** Why the content of a file cannot be unpacked; a sentence for people. */
export class UnpackError extends Error {
  override name = 'UnpackError';
}

/** The rates of all days since 1999 are about 2 MB. */
const maxContentBytes = 64 * 2 ** 20;

const gzipMagic = [0x1f, 0x8b];

/**
 * Returns the content of a file: of a ZIP archive the only CSV file in it, of a gzip file what it packs, else the bytes
 * as they are. Throws {@link UnpackError} for damaged data, and for content above {@link maxContentBytes}.
 *
 * Archives that are encrypted, in parts, or in the Zip64 format are refused.
 */
export function unpack(packed: Uint8Array): Uint8Array {
  if (isZip(packed)) return unzip(packed);
  const content = gzipMagic.every((byte, at) => packed[at] === byte)
    ? inflated('The gzip file', () => gunzipSync(packed, { maxOutputLength: maxContentBytes }))
    : packed;
  if (content.length > maxContentBytes) throw tooLong();
  return content;
}

function unzip(packed: Uint8Array): Uint8Array {
  const { length } = packed;
  const archive = { length, read: (at: number, count: number) => packed.subarray(at, at + count) };
  try {
    return contentOf(archive, onlyCsv(readZip(archive)));
  } catch (error) {
    throw error instanceof ZipError ? new UnpackError(error.message) : error;
  }
}

function onlyCsv(entries: readonly ZipEntry[]): ZipEntry {
  const files = entries.filter(({ name }) => /\.csv$/i.test(name));
  const [file] = files;
  if (file !== undefined && files.length === 1) return file;
  const found = files.length === 0 ? 'no CSV file' : `${files.length} CSV files`;
  throw new UnpackError(`The ZIP archive has ${found}, but must have one: extract it with unzip`);
}

function contentOf(archive: RandomBytes, entry: ZipEntry): Uint8Array {
  const { method, packedBytes } = entry;
  if (entry.bytes > maxContentBytes) throw tooLong();
  const data = archive.read(zipDataAt(archive, entry), packedBytes);
  const content =
    method === ZIP_METHODS.stored
      ? data
      : inflated('The ZIP archive', () =>
          inflateRawSync(data, { maxOutputLength: maxContentBytes }),
        );
  if (content.length !== entry.bytes || crc32(content) !== entry.checksum) throw damaged();
  return content;
}

function inflated(what: string, work: () => Buffer): Buffer {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLong();
    throw new UnpackError(`${what} is damaged`);
  }
}

function tooLong(): UnpackError {
  return new UnpackError(`The file is longer than ${maxContentBytes / 2 ** 20} MiB unpacked`);
}
