/** Something that waits for a book. */
interface OfBook {
  readonly bookId: number;
}

/**
 * A queue in which books take turns: each book waits in its own line, and the line whose turn it was last comes last.
 * So a book with many requests does not keep those of others waiting.
 */
export class FairQueue<T extends OfBook> {
  /** The next line first. None is empty. */
  readonly #lines = new Map<number, T[]>();
  #length = 0;

  /** How many wait, of all books. */
  get length(): number {
    return this.#length;
  }

  /** How many of a book wait. */
  lengthOf(bookId: number): number {
    return this.#lines.get(bookId)?.length ?? 0;
  }

  add(entry: T): void {
    const line = this.#lines.get(entry.bookId);
    if (line === undefined) this.#lines.set(entry.bookId, [entry]);
    else line.push(entry);
    this.#length += 1;
  }

  /** Removes and returns the next entry that can run: the first one of its line for which that holds. */
  take(canRun: (entry: T) => boolean): T | undefined {
    for (const [bookId, line] of this.#lines) {
      const at = line.findIndex(canRun);
      if (at === -1) continue;
      const [entry] = line.splice(at, 1);
      this.#lines.delete(bookId);
      if (line.length > 0) this.#lines.set(bookId, line);
      this.#length -= 1;
      return entry;
    }
    return undefined;
  }

  /** Removes and returns the first entry that is looked for; the order of the books stays. */
  remove(isWanted: (entry: T) => boolean): T | undefined {
    for (const [bookId, line] of this.#lines) {
      const at = line.findIndex(isWanted);
      if (at === -1) continue;
      const [entry] = line.splice(at, 1);
      if (line.length === 0) this.#lines.delete(bookId);
      this.#length -= 1;
      return entry;
    }
    return undefined;
  }

  /** Removes and returns all entries. */
  clear(): T[] {
    const all = [...this.#lines.values()].flat();
    this.#lines.clear();
    this.#length = 0;
    return all;
  }
}
