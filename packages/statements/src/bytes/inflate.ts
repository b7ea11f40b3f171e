import { createInflateRaw, type InflateRaw } from 'node:zlib';
import { Refusal } from '../statement/statement-error.ts';

const PIECE_BYTES = 65_536;

/**
 * Unpacks one deflate stream, in pieces of at most 64 KiB, and does not consume what follows it.
 * Errors: Refusal, which names the kind of data, if it is damaged or ends too early.
 */
export async function* inflate(packed: PackedBytes, kind: string): AsyncGenerator<Uint8Array> {
  const inflater = createInflateRaw({ chunkSize: PIECE_BYTES });
  const feeding = feed(inflater, packed).catch((error: unknown) => {
    inflater.destroy(error as Error);
  });
  try {
    for await (const piece of inflater) yield piece as Uint8Array;
  } catch (error) {
    throw refusalOf(error, kind);
  } finally {
    inflater.destroy();
  }
  await feeding;
}

/** Writes packed bytes until the inflater accepts no more, because its stream has ended. */
async function feed(inflater: InflateRaw, packed: PackedBytes): Promise<void> {
  for (;;) {
    const input = await packed.ahead();
    if (input.length === 0) break;
    const before = inflater.bytesWritten;
    await new Promise((resolve) => inflater.write(input, resolve));
    const taken = inflater.bytesWritten - before;
    packed.skip(taken);
    if (taken < input.length) return;
  }
  inflater.end();
}

function refusalOf(error: unknown, kind: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return endsTooEarly(kind);
  return code === 'Z_DATA_ERROR' ? new Refusal(`${kind} is damaged`) : error;
}

/** Packed bytes, taken from the front of a sequence of pieces. */
export class PackedBytes {
  readonly #pieces: Iterator<Uint8Array> | AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array(0);
  /** Bytes of all pieces so far. */
  received = 0;

  constructor(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) {
    this.#pieces =
      Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  }

  /** One or more of the next bytes; none at the end. */
  async ahead(): Promise<Uint8Array> {
    while (this.#piece.length === 0) {
      const next = await this.#pieces.next();
      if (next.done === true) break;
      this.#piece = next.value;
      this.received += next.value.length;
    }
    return this.#piece;
  }

  skip(count: number): void {
    this.#piece = this.#piece.subarray(count);
  }

  /** Reads an unsigned integer of `count` bytes, the lowest first. Errors: Refusal if fewer bytes are left. */
  async take(count: number): Promise<number> {
    let value = 0;
    for (let at = 0; at < count; at += 1) {
      const [byte] = await this.ahead();
      if (byte === undefined) throw endsTooEarly('Gzip data');
      this.skip(1);
      value += byte * 2 ** (8 * at);
    }
    return value;
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}

function endsTooEarly(kind: string): Refusal {
  return new Refusal(`${kind} ends too early`);
}
