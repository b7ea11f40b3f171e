import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';

/** What a file holds: bytes at once, or one piece after the other; `sparseBytes` of zeros that take no room follow. */
export interface Content {
  readonly pieces: Iterable<string | Uint8Array>;
  readonly sparseBytes?: number;
}

/** A file of pieces that never are in memory together. */
export async function writeContent(file: string, content: Content): Promise<void> {
  await writeFile(file, '');
  const stream = createWriteStream(file);
  let length = 0;
  for (const piece of content.pieces) {
    length += Buffer.byteLength(piece);
    if (!stream.write(piece)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'close');
  if (content.sparseBytes !== undefined) await truncate(file, length + content.sparseBytes);
}

/** A piece, as often as said, between a head and a tail. */
export function* repeated(
  piece: string | Uint8Array,
  times: number,
  head: string | Uint8Array = '',
  tail = '',
): Generator<string | Uint8Array> {
  yield head;
  for (let left = times; left > 0; left -= 1) yield piece;
  yield tail;
}

/** A text of `length` characters, in pieces of 64 KiB. */
export function endless(
  text: string,
  length: number,
  head: string | Uint8Array = '',
  tail = '',
): Generator<string | Uint8Array> {
  const piece = text.repeat(Math.ceil(65_536 / text.length));
  return repeated(piece, Math.ceil(length / piece.length), head, tail);
}

/** A file that means harm, and what is to become of it. */
export interface HostileFile {
  readonly name: string;
  readonly content: Content;
  /** What the refusal says, or how many transactions the file rightly has. */
  readonly becomes: RegExp | number;
  /** It has to be read to its end before it can be refused, so that its length sets the time. */
  readonly isLong?: true;
}

/** A file of one piece. */
export function hostile(
  name: string,
  text: string | Uint8Array,
  becomes: HostileFile['becomes'],
): HostileFile {
  return { name, content: { pieces: [text] }, becomes };
}

/** A file that goes on and on: a head, and behind it so many characters of one text over and over. */
export function flood(
  name: string,
  head: string | Uint8Array,
  text: string,
  length: number,
  becomes: HostileFile['becomes'],
): HostileFile {
  return { name, content: { pieces: endless(text, length, head) }, becomes };
}
