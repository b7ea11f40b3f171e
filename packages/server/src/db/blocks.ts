/** Values in one statement: within the limits of every engine, and enough for few round trips. */
export const blockSize = 500;

/** Splits items into blocks of {@link blockSize}, one for each statement. */
export function blocksOf<T>(all: readonly T[], size = blockSize): T[][] {
  const blocks: T[][] = [];
  for (let at = 0; at < all.length; at += size) blocks.push(all.slice(at, at + size));
  return blocks;
}

/** The lengths of lists in statements. Few lengths need few prepared statements. */
const lengths = [1, 2, 5, 10, 20, 50, 100, 200, blockSize];

/** Extends a block to the next of a few lengths with `filler`, which must not match any row or repeat a match. */
export function padded<T>(block: readonly T[], filler: T): T[] {
  const length = lengths.find((each) => each >= block.length) ?? block.length;
  return [...block, ...Array<T>(length - block.length).fill(filler)];
}

/** Items in one statement that cannot be padded: few lengths, so that few statements are prepared. */
const pieceLengths = [200, 50, 20, 10, 5, 2, 1];

/** Divides items for statements that must not repeat one, into pieces of a few lengths. */
export function piecesOf<T>(all: readonly T[]): T[][] {
  const pieces: T[][] = [];
  for (let at = 0; at < all.length; at += pieces.at(-1)!.length) {
    const length = pieceLengths.find((each) => each <= all.length - at)!;
    pieces.push(all.slice(at, at + length));
  }
  return pieces;
}
