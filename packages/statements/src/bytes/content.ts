import { Refusal } from '../statement/statement-error.ts';
import type { StatementSource } from '../statement/statement.ts';

const PIECE_BYTES = 65_536;
/** Maximum bytes of a file, unpacked. */
export const MAX_CONTENT_BYTES = 2 ** 31;

/**
 * The content of a file in pieces of about 64 KiB. The file is opened once: what the beginning shows is found by
 * looking ahead, before all of it is read. Errors, when the piece is needed: Refusal if the content exceeds
 * `maxBytes`; any error of the source.
 */
export class Content {
  readonly #source: StatementSource;
  readonly #maxBytes: number;
  #pieces: Iterator<Uint8Array>;
  /** The pieces that were looked at, until more of them are read. */
  #ahead: Uint8Array[] = [];
  #fault: { readonly error: unknown } | null = null;
  #isPast = false;
  /** The first piece; null if the file is empty. */
  readonly first: Uint8Array | null;

  constructor(source: StatementSource, maxBytes: number) {
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#pieces = this.#open();
    this.first = this.#look(0);
  }

  /** The pieces from the first on, as far as the caller goes. */
  *head(): Generator<Uint8Array> {
    if (this.#isPast) this.#reopen();
    for (let at = 0; ; at += 1) {
      const piece = this.#look(at);
      if (piece === null) return;
      yield piece;
    }
  }

  /** All pieces. After that the file is opened again for {@link head} or a second time, if pieces were left behind. */
  *whole(): Generator<Uint8Array> {
    if (this.#isPast) this.#reopen();
    yield* this.#ahead;
    for (;;) {
      const piece = this.#next();
      if (piece === null) return;
      this.#isPast = true;
      this.#ahead = [];
      yield piece;
    }
  }

  close(): void {
    this.#pieces.return?.();
  }

  #look(at: number): Uint8Array | null {
    while (at >= this.#ahead.length) {
      const piece = this.#next();
      if (piece === null) return null;
      // The source may use its memory again.
      this.#ahead.push(Uint8Array.from(piece));
    }
    return this.#ahead[at]!;
  }

  #next(): Uint8Array | null {
    if (this.#fault !== null) throw this.#fault.error;
    try {
      const next = this.#pieces.next();
      return next.done === true ? null : next.value;
    } catch (error) {
      this.#fault = { error };
      throw error;
    }
  }

  #reopen(): void {
    this.close();
    this.#pieces = this.#open();
    this.#ahead = [];
    this.#fault = null;
    this.#isPast = false;
  }

  *#open(): Generator<Uint8Array> {
    let total = 0;
    for (const piece of evenPieces(this.#source.open())) {
      total += piece.length;
      if (total > this.#maxBytes)
        throw new Refusal(`File is longer than ${this.#maxBytes} bytes unpacked`);
      yield piece;
    }
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
