/** Values in one statement: within the limits of every engine, and enough for few round trips. */
export const blockSize = 500;

/** Splits items into blocks of {@link blockSize}, one for each statement. */
export function blocksOf<T>(all: readonly T[]): T[][] {
  const blocks: T[][] = [];
  for (let at = 0; at < all.length; at += blockSize) blocks.push(all.slice(at, at + blockSize));
  return blocks;
}

/** The lengths of lists in statements. Few lengths need few prepared statements. */
const lengths = [1, 2, 5, 10, 20, 50, 100, 200, blockSize];

/** Extends a block to the next of a few lengths with `filler`, which must not match any row or repeat a match. */
export function padded<T>(block: readonly T[], filler: T): T[] {
  const length = lengths.find((each) => each >= block.length) ?? block.length;
  return [...block, ...Array<T>(length - block.length).fill(filler)];
}
