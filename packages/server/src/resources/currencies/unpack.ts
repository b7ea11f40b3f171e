import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';

/** Why the content of a file cannot be unpacked; a sentence for people. */
export class UnpackError extends Error {
  override name = 'UnpackError';
}

/** The rates of all days since 1999 are about 2 MB. */
const maxContentBytes = 64 * 2 ** 20;

const gzipMagic = [0x1f, 0x8b];
const zipMagic = [0x50, 0x4b, 0x03, 0x04];
const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endBytes = 22;
const entryBytes = 46;
const localBytes = 30;
const maxCommentBytes = 0xffff;
const isEncryptedFlag = 1;
const methods = { stored: 0, deflated: 8 };

/** A file of a ZIP archive, as its central directory describes it. */
interface ZipEntry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly checksum: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly localAt: number;
}

/**
 * Returns the content of a file: of a ZIP archive the only CSV file in it, of a gzip file what it packs, else the bytes
 * as they are. Throws {@link UnpackError} for damaged data, and for content above {@link maxContentBytes}.
 *
 * Source: PKWARE APPNOTE 6.3.10, 4.3. Archives that are encrypted, in parts, or in the Zip64 format are refused.
 */
export function unpack(packed: Uint8Array): Uint8Array {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (startsWith(bytes, zipMagic)) return unzip(bytes);
  const content = startsWith(bytes, gzipMagic)
    ? inflated('The gzip file', () => gunzipSync(bytes, { maxOutputLength: maxContentBytes }))
    : bytes;
  if (content.length > maxContentBytes) throw tooLong();
  return content;
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, at) => bytes[at] === byte);
}

function unzip(archive: Buffer): Buffer {
  try {
    return contentOf(archive, onlyCsv(entriesOf(archive)));
  } catch (error) {
    // An offset in the archive points outside of it.
    if (error instanceof RangeError) throw damaged();
    throw error;
  }
}

function onlyCsv(entries: readonly ZipEntry[]): ZipEntry {
  const files = entries.filter(({ name }) => /\.csv$/i.test(name));
  const [file] = files;
  if (file !== undefined && files.length === 1) return file;
  const found = files.length === 0 ? 'no CSV file' : `${files.length} CSV files`;
  throw new UnpackError(`The ZIP archive has ${found}, but must have one: extract it with unzip`);
}

/** Reads the central directory, which the last record of the archive locates. */
function entriesOf(archive: Buffer): ZipEntry[] {
  const end = findEnd(archive);
  const count = archive.readUInt16LE(end + 10);
  const entries: ZipEntry[] = [];
  for (let at = archive.readUInt32LE(end + 16); entries.length < count;) {
    if (archive.readUInt32LE(at) !== entrySignature) throw damaged();
    const nameBytes = archive.readUInt16LE(at + 28);
    const otherBytes = archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    const nameAt = at + entryBytes;
    entries.push({
      name: archive.toString('latin1', nameAt, nameAt + nameBytes),
      flags: archive.readUInt16LE(at + 8),
      method: archive.readUInt16LE(at + 10),
      checksum: archive.readUInt32LE(at + 16),
      packedBytes: archive.readUInt32LE(at + 20),
      bytes: archive.readUInt32LE(at + 24),
      localAt: archive.readUInt32LE(at + 42),
    });
    at = nameAt + nameBytes + otherBytes;
  }
  return entries;
}

/** A comment of up to 65,535 bytes may follow the last record, and may contain anything. */
function findEnd(archive: Buffer): number {
  const first = Math.max(0, archive.length - endBytes - maxCommentBytes);
  for (let at = archive.length - endBytes; at >= first; at -= 1)
    if (archive.readUInt32LE(at) === endSignature && isLast(archive, at)) return at;
  throw damaged();
}

function isLast(archive: Buffer, endAt: number): boolean {
  return endAt + endBytes + archive.readUInt16LE(endAt + 20) === archive.length;
}

function contentOf(archive: Buffer, entry: ZipEntry): Buffer {
  const { flags, method, localAt, packedBytes } = entry;
  const isKnown = Object.values(methods).includes(method) && (flags & isEncryptedFlag) === 0;
  if (!isKnown)
    throw new UnpackError(
      'The ZIP archive is encrypted or in an unusual format: extract it with unzip',
    );
  if (entry.bytes > maxContentBytes) throw tooLong();
  if (archive.readUInt32LE(localAt) !== localSignature) throw damaged();
  const dataAt =
    localAt + localBytes + archive.readUInt16LE(localAt + 26) + archive.readUInt16LE(localAt + 28);
  const data = archive.subarray(dataAt, dataAt + packedBytes);
  const content =
    method === methods.stored
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

function damaged(): UnpackError {
  return new UnpackError('The ZIP archive is damaged');
}

function tooLong(): UnpackError {
  return new UnpackError(`The file is longer than ${maxContentBytes / 2 ** 20} MiB unpacked`);
}
