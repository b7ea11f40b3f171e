/** Bytes that can be read at any place. */
export interface RandomBytes {
  readonly length: number;
  /** Returns `length` bytes from `at` on; fewer at the end. */
  read(at: number, length: number): Uint8Array;
}

/** A file of a ZIP archive, as its central directory describes it. */
export interface ZipEntry {
  /** As written in the archive, for messages and comparison only: never a path. */
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  /** CRC-32 of the content. */
  readonly checksum: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly localAt: number;
}

/** Why an archive cannot be read; a sentence for people. */
export class ZipError extends Error {
  override readonly name = 'ZipError';
}

/** The methods of a ZIP archive that are supported. */
export const ZIP_METHODS = { stored: 0, deflated: 8 } as const;

const MAX_ENTRIES = 10_000;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const MAX_COMMENT_BYTES = 0xffff;
const MAX_DIRECTORY_BYTES = 4 * 2 ** 20;
const UNKNOWN_32 = 0xffffffff;
const IS_ENCRYPTED = 1;

/** Whether the first bytes are those of a ZIP archive with a file in it. */
export function isZip(head: Uint8Array): boolean {
  return head.length >= 4 && view(head).getUint32(0, true) === LOCAL_SIGNATURE;
}

/**
 * Reads the central directory of an archive, which its last record locates.
 * Errors: ZipError if the archive is damaged, in the Zip64 format, or has more than 10,000 entries, or if entries share
 * their data. Source: PKWARE APPNOTE 6.3.10, 4.3.
 */
export function readZip(archive: RandomBytes): ZipEntry[] {
  const { count, at, length } = findDirectory(archive);
  if (count > MAX_ENTRIES || length > MAX_DIRECTORY_BYTES) {
    throw new ZipError(`The ZIP archive has more than ${MAX_ENTRIES} files: extract it with unzip`);
  }
  const directory = archive.read(at, length);
  const entries: ZipEntry[] = [];
  for (let from = 0; entries.length < count;) {
    const header = directory.subarray(from, from + ENTRY_BYTES);
    const entry = readEntry(header, directory.subarray(from + ENTRY_BYTES));
    entries.push(entry);
    const fields = view(header);
    from +=
      ENTRY_BYTES + [28, 30, 32].reduce((sum, place) => sum + fields.getUint16(place, true), 0);
  }
  const packed = entries.reduce((sum, { packedBytes }) => sum + packedBytes, 0);
  if (packed > archive.length) throw damaged();
  return entries;
}

/**
 * Returns where the packed data of an entry begins.
 * Errors: ZipError if the archive is damaged, or the entry is encrypted or packed with another method.
 */
export function zipDataAt(archive: RandomBytes, entry: ZipEntry): number {
  const isKnown = entry.method === ZIP_METHODS.stored || entry.method === ZIP_METHODS.deflated;
  if (entry.isEncrypted || !isKnown) {
    throw new ZipError(
      'The ZIP archive is encrypted or in an unusual format: extract it with unzip',
    );
  }
  const header = archive.read(entry.localAt, LOCAL_BYTES);
  if (header.length < LOCAL_BYTES) throw damaged();
  const fields = view(header);
  if (fields.getUint32(0, true) !== LOCAL_SIGNATURE) throw damaged();
  const at = entry.localAt + LOCAL_BYTES + fields.getUint16(26, true) + fields.getUint16(28, true);
  if (at + entry.packedBytes > archive.length) throw damaged();
  return at;
}

/** The error for an archive that contradicts itself. */
export function damaged(): ZipError {
  return new ZipError('The ZIP archive is damaged');
}

function readEntry(header: Uint8Array, rest: Uint8Array): ZipEntry {
  if (header.length < ENTRY_BYTES) throw damaged();
  const fields = view(header);
  if (fields.getUint32(0, true) !== ENTRY_SIGNATURE) throw damaged();
  const name = rest.subarray(0, fields.getUint16(28, true));
  const [packedBytes, bytes, localAt] = [20, 24, 42].map((place) => fields.getUint32(place, true));
  if ([packedBytes, bytes, localAt].includes(UNKNOWN_32)) throw zip64();
  return {
    name: new TextDecoder('latin1').decode(name),
    isEncrypted: (fields.getUint16(8, true) & IS_ENCRYPTED) !== 0,
    method: fields.getUint16(10, true),
    checksum: fields.getUint32(16, true),
    packedBytes: packedBytes!,
    bytes: bytes!,
    localAt: localAt!,
  };
}

/** A comment of up to 65,535 bytes may follow the last record, and may contain anything. */
function findDirectory(archive: RandomBytes): { count: number; at: number; length: number } {
  const first = Math.max(0, archive.length - END_BYTES - MAX_COMMENT_BYTES);
  const tail = archive.read(first, archive.length - first);
  const fields = view(tail);
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (fields.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_BYTES + fields.getUint16(at + 20, true) !== tail.length) continue;
    const directoryAt = fields.getUint32(at + 16, true);
    if (directoryAt === UNKNOWN_32) throw zip64();
    return {
      count: fields.getUint16(at + 10, true),
      at: directoryAt,
      length: fields.getUint32(at + 12, true),
    };
  }
  throw damaged();
}

function view({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function zip64(): ZipError {
  return new ZipError('The ZIP archive is in the Zip64 format: extract it with unzip');
}
