import { Refusal } from '../statement/statement-error.ts';
import type { StatementSource } from '../statement/statement.ts';

const PIECE_BYTES = 65_536;
/** Maximum bytes of a file, unpacked. */
export const MAX_CONTENT_BYTES = 2 ** 31;

/**
 * The content of a file in pieces of about 64 KiB.
 * Errors: Refusal if the content exceeds `maxBytes`; any error of the source.
 */
export function* content(source: StatementSource, maxBytes: number): Generator<Uint8Array> {
  let total = 0;
  for (const piece of evenPieces(source.open())) {
    total += piece.length;
    if (total > maxBytes) throw new Refusal(`File is longer than ${maxBytes} bytes unpacked`);
    yield piece;
  }
}

/** Cuts and joins chunks into pieces of 64 KiB, so that huge or tiny chunks cost no more than others. */
function* evenPieces(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let buffer: Uint8Array = new Uint8Array(0);
  let length = 0;
  try {
    for (const chunk of chunks) {
      for (let at = 0; at < chunk.length;) {
        const part = chunk.subarray(at, at + PIECE_BYTES - length);
        at += part.length;
        if (part.length === PIECE_BYTES) {
          yield part;
          continue;
        }
        // Most files are one short chunk.
        if (length === 0) buffer = new Uint8Array(part);
        else {
          if (buffer.length < PIECE_BYTES) buffer = enlarged(buffer);
          buffer.set(part, length);
        }
        length += part.length;
        if (length < PIECE_BYTES) continue;
        yield buffer;
        length = 0;
      }
    }
  } catch (error) {
    // The error is reported at the line that the bytes before it reach.
    yield buffer.subarray(0, length);
    throw error;
  }
  if (length > 0) yield buffer.subarray(0, length);
}

function enlarged(buffer: Uint8Array): Uint8Array {
  const whole = new Uint8Array(PIECE_BYTES);
  whole.set(buffer);
  return whole;
}
