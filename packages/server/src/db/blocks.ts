/** Few enough values for a statement of every engine, many enough to seldom ask. */
export const blockSize = 500;

/** The items in blocks that one statement takes. */
export function blocksOf<T>(all: readonly T[]): T[][] {
  const blocks: T[][] = [];
  for (let at = 0; at < all.length; at += blockSize) blocks.push(all.slice(at, at + blockSize));
  return blocks;
}
