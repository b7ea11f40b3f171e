import { gunzip } from '../bytes/unpack.ts';
import type { StatementSource } from '../statement/statement.ts';

/** A statement in memory, read in chunks of a given size. */
export function sourceOf(content: string | Uint8Array, chunkBytes = 65_536): StatementSource {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return {
    *open() {
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        yield bytes.subarray(at, at + chunkBytes);
      }
    },
  };
}

/** A statement packed with gzip, unpacked in memory; throws where unpacking ended with an error. */
export async function unpackedSource(
  packed: Uint8Array,
  maxBytes?: number,
): Promise<StatementSource> {
  const pieces: Uint8Array[] = [];
  const fault = await gunzip(sourceOf(packed).open(), (piece) => pieces.push(piece), maxBytes);
  return {
    *open() {
      yield* pieces;
      if (fault !== null) throw fault;
    },
  };
}
