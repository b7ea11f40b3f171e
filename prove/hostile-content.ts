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
