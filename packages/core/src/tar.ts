/** A file of a tar archive. */
export interface TarEntry {
  /** As written in the archive: letters, digits, `.`, `-`, `_` and `/`. Never use it as a path. */
  readonly name: string;
  /** The length of its content in bytes. */
  readonly size: number;
}

/** Why a tar archive cannot be read; a sentence for people. */
export class TarError extends Error {
  override readonly name = 'TarError';
}

/** Headers and contents begin at multiples of this length. */
export const TAR_BLOCK = 512;

const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 5],
  prefix: [345, 155],
} as const;
const CHECKSUM_BLANK = 0x20;
const NUL = 0;

/** Two empty blocks end an archive. */
export const tarEnd: Uint8Array = new Uint8Array(2 * TAR_BLOCK);

/**
 * Returns the header of a file that only its owner can read. It has no time, so that the same files give the same
 * bytes. The name has at most 100 characters of ASCII, and the size at most 11 octal digits.
 */
export function tarHeader({ name, size }: TarEntry): Uint8Array {
  const block = new Uint8Array(TAR_BLOCK);
  const octal = (value: number, length: number): string => value.toString(8).padStart(length, '0');
  const texts = {
    name,
    mode: '0000600',
    uid: '0000000',
    gid: '0000000',
    size: octal(size, 11),
    mtime: '00000000000',
    type: '0',
    magic: 'ustar',
  };
  for (const [field, text] of Object.entries(texts))
    block.set(new TextEncoder().encode(text), FIELDS[field as keyof typeof texts][0]);
  block.set(new TextEncoder().encode('00'), 263);
  block.set(new TextEncoder().encode(`${octal(checksumOf(block), 6)}\0 `), FIELDS.checksum[0]);
  return block;
}

/** Returns how many bytes fill the last block of a content. */
export function tarPadding(size: number): number {
  return (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;
}

/**
 * Reads a header; null for an empty block, which ends the archive. Only plain files are supported: no folders, links,
 * long names or other extensions. Errors: TarError. Source: POSIX.1-2017, pax, "ustar Interchange Format".
 */
export function readTarHeader(block: Uint8Array): TarEntry | null {
  if (block.every((byte) => byte === NUL)) return null;
  const stated = octalIn(textIn(block, 'checksum'));
  if (stated !== checksumOf(block) || textIn(block, 'magic') !== 'ustar')
    throw new TarError('A header of the archive is damaged');
  const name = textIn(block, 'name');
  const type = textIn(block, 'type');
  if ((type !== '0' && type !== '') || textIn(block, 'prefix') !== '')
    throw new TarError(
      `"${printable(name)}" is not a plain file (its type is "${printable(type)}")`,
    );
  if (!/^[\w.-]+(\/[\w.-]+)*$/.test(name) || name.split('/').includes('..'))
    throw new TarError(`"${printable(name)}" is not a name that an archive of a book has`);
  const size = octalIn(textIn(block, 'size'));
  if (size === null) throw new TarError(`The size of "${name}" is damaged`);
  return { name, size };
}

/** The sum of all bytes, with blanks in the place of the checksum itself. */
function checksumOf(block: Uint8Array): number {
  const [from, length] = FIELDS.checksum;
  return block.reduce(
    (sum, byte, at) => sum + (at >= from && at < from + length ? CHECKSUM_BLANK : byte),
    0,
  );
}

function textIn(block: Uint8Array, field: keyof typeof FIELDS): string {
  const [from, length] = FIELDS[field];
  const bytes = block.subarray(from, from + length);
  const end = bytes.indexOf(NUL);
  return new TextDecoder('latin1').decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function octalIn(text: string): number | null {
  const digits = text.trim();
  return /^[0-7]{1,11}$/.test(digits) ? Number.parseInt(digits, 8) : null;
}

function printable(text: string): string {
  return text.replaceAll(/[^ -~]/g, '?');
}
