import type { StatementSource } from '../statement.ts';

/** A statement in memory, handed out in chunks of a given size. */
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
