import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';

/** The content of a file: its pieces, followed by `sparseBytes` zeros that use no disk space. */
export interface Content {
  readonly pieces: Iterable<string | Uint8Array>;
  readonly sparseBytes?: number;
}

/** Writes a file piece by piece, so that it is never in memory as a whole. */
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
  if (content.sparseBytes !== undefined && content.sparseBytes > 0)
    await truncate(file, length + content.sparseBytes);
}

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

export function endless(
  text: string,
  length: number,
  head: string | Uint8Array = '',
  tail = '',
): Generator<string | Uint8Array> {
  const piece = text.repeat(Math.ceil(65_536 / text.length));
  return repeated(piece, Math.ceil(length / piece.length), head, tail);
}

export interface HostileFile {
  readonly name: string;
  readonly content: Content;
  /** The message of the refusal, or the number of transactions in a valid file. */
  readonly becomes: RegExp | number;
  /** The file must be read to its end before it can be refused, so the time limit does not apply. */
  readonly isLong?: true;
}

function hostile(
  name: string,
  content: string | Uint8Array | Iterable<string> | Generator<string | Uint8Array>,
  becomes: HostileFile['becomes'],
  sparseBytes = 0,
): HostileFile {
  const isOne = typeof content === 'string' || content instanceof Uint8Array;
  return { name, content: { pieces: isOne ? [content] : content, sparseBytes }, becomes };
}

function flood(
  name: string,
  head: string | Uint8Array,
  text: string,
  becomes: HostileFile['becomes'],
  { length = 2 ** 26, sparseBytes = 0 } = {},
): HostileFile {
  return hostile(name, endless(text, length, head), becomes, sparseBytes);
}

type Rest<F> = F extends (name: string, ...rest: infer R) => HostileFile ? R : never;

/** Returns files by their names without the end, each with the other arguments of {@link hostile}. */
export function hostiles(
  end: string,
  all: Readonly<Record<string, Rest<typeof hostile>>>,
): HostileFile[] {
  return Object.entries(all).map(([name, rest]) => hostile(name + end, ...rest));
}

/** As {@link hostiles}, with the arguments of {@link flood}. */
export function floods(
  end: string,
  all: Readonly<Record<string, Rest<typeof flood>>>,
): HostileFile[] {
  return Object.entries(all).map(([name, rest]) => flood(name + end, ...rest));
}
