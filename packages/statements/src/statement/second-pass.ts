import { Refusal, StatementError } from './statement-error.ts';
import type { Entry } from './statement.ts';

/**
 * Streams the entries of a file that was examined before.
 * Errors: StatementError if there are not `entryCount` of them, or if one has a problem: then the file has changed.
 */
export function* secondPass(entries: Iterable<Entry>, entryCount: number): Generator<Entry> {
  let left = entryCount;
  try {
    for (const entry of entries) {
      left -= 1;
      if (left < 0) throw fileChanged();
      yield entry;
    }
  } catch (error) {
    throw error instanceof StatementError || error instanceof Refusal ? fileChanged() : error;
  }
  if (left > 0) throw fileChanged();
}

/** The error for a file that is not as it was when it was examined. */
export function fileChanged(): StatementError {
  return new Refusal('File changed while it was being read').at(1);
}

/** Returns how many entries there are. */
export function countOf(entries: Iterable<Entry>): number {
  const rest = entries[Symbol.iterator]();
  let count = 0;
  while (rest.next().done !== true) count += 1;
  return count;
}
