/** Values in one statement: within the limits of every engine, and enough for few round trips. */
export const blockSize = 500;

/** Splits items into blocks of {@link blockSize}, one for each statement. */
export function blocksOf<T>(all: readonly T[]): T[][] {
  const blocks: T[][] = [];
  for (let at = 0; at < all.length; at += blockSize) blocks.push(all.slice(at, at + blockSize));
  return blocks;
}
