/**
 * What comes from a server, each piece asked for while the one before is worked on.
 *
 * Behind a piece that `isLast` nothing is asked for, so that the server's transaction stays open.
 */
export async function* ahead<T>(
  pieces: AsyncIterable<T>,
  isLast: (piece: T) => boolean,
): AsyncGenerator<T, void, undefined> {
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    for (let next = await iterator.next(); next.done !== true;) {
      const coming = isLast(next.value) ? null : iterator.next();
      // It is waited for below, unless nobody wants more.
      coming?.catch(() => undefined);
      await nextTurn();
      yield next.value;
      next = await (coming ?? iterator.next());
    }
  } finally {
    await iterator.return?.();
  }
}

/** Lets what was written to sockets go out. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
