import { gunzip, isGzip } from './gzip/gunzip.ts';
import { Refusal } from './statement-error.ts';
import type { StatementSource } from './statement.ts';

const PIECE_BYTES = 65_536;
/** What may be unpacked in any case, and beyond that, how many times the length of what is packed. */
const FREE_BYTES = 16 * 2 ** 20;
const MOST_RATIO = 200;

/**
 * A file's content in pieces of about 64 KiB, unpacked if it is gzip (told by its first bytes).
 * Errors: Refusal where the unpacked content passes `maxBytes`, where more than 16 MiB of it are more than 200 times as
 * long as what they are packed in, or where the packing is damaged.
 */
export function* content(source: StatementSource, maxBytes: number): Generator<Uint8Array> {
  const [first] = evenPieces(source.open());
  const packed = first !== undefined && isGzip(first);
  let fileBytes = 0;
  const file = counted(evenPieces(source.open()), (bytes) => (fileBytes += bytes));
  let total = 0;
  for (const piece of packed ? gunzip(file) : file) {
    total += piece.length;
    if (total > maxBytes) throw new Refusal(`File is longer than ${maxBytes} bytes unpacked`);
    if (total > FREE_BYTES && total > fileBytes * MOST_RATIO) {
      throw new Refusal(`File unpacks to more than ${MOST_RATIO} times its length`);
    }
    yield piece;
  }
}

function* counted(
  pieces: Iterable<Uint8Array>,
  onPiece: (bytes: number) => void,
): Generator<Uint8Array> {
  for (const piece of pieces) {
    onPiece(piece.length);
    yield piece;
  }
}

/** Cuts and joins chunks, so that neither one huge chunk nor millions of tiny ones cost more than the rest. */
function* evenPieces(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let held = new Uint8Array(PIECE_BYTES);
  let length = 0;
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + PIECE_BYTES - length);
      at += part.length;
      if (part.length === PIECE_BYTES) {
        yield part;
        continue;
      }
      held.set(part, length);
      length += part.length;
      if (length < PIECE_BYTES) continue;
      yield held;
      held = new Uint8Array(PIECE_BYTES);
      length = 0;
    }
  }
  if (length > 0) yield held.subarray(0, length);
}
