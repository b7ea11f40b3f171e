import { statSync } from 'node:fs';
import { DatabaseError } from '../errors.ts';

/** A reader that reads nothing between two checks is stalled, in milliseconds. */
const checkEveryMs = 30_000;
/** Four times `journal_size_limit`. */
const maxLogBytes = 256 * 2 ** 20;

/**
 * Yields the values. If the reader stalls while the log grows past 256 MB, ends the stream: the next read throws a
 * DatabaseError.
 *
 * While a stream is open, a checkpoint cannot go past its snapshot. Without this limit, an export to a program that
 * does not read would let the writes of others fill the disk. A slow reader that keeps reading is not ended, nor is one
 * that waits while there are no writes.
 */
export function* endStalled<T>(
  values: Generator<T, void, undefined>,
  logFile: string,
): Generator<T, void, undefined> {
  let taken = 0;
  let takenBefore = -1;
  let stalled: DatabaseError | undefined;
  const check = (): void => {
    const isStalled = taken === takenBefore;
    takenBefore = taken;
    if (!isStalled || stalled !== undefined || bytesOf(logFile) <= maxLogBytes) return;
    stalled = new DatabaseError(
      'unavailable',
      `The reader read nothing for ${checkEveryMs / 1000} s while the log of the database grew past ` +
        `${maxLogBytes / 2 ** 20} MB, so reading was stopped: start again with a reader that keeps reading`,
    );
    values.return();
  };
  const timer = setInterval(check, checkEveryMs).unref();
  try {
    for (const value of values) {
      taken += 1;
      yield value;
      if (stalled !== undefined) throw stalled;
    }
  } finally {
    clearInterval(timer);
  }
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
