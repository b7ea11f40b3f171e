import { statSync } from 'node:fs';
import { DatabaseError } from '../errors.ts';

/** A reader that takes nothing from one check to the next is stalled, in milliseconds. */
const checkEveryMs = 30_000;
/** Four times what the log is cut back to. */
const maxLogBytes = 256 * 2 ** 20;

/**
 * The values, until their reader is stalled while the log grows past 256 MB: then they end, and the next one that the
 * reader takes throws a DatabaseError.
 *
 * While a stream is open, the log cannot be folded in beyond its snapshot. Without a bound, an export to a program that
 * does not read would let the writes of others fill the disk. A reader that goes on, however slow, is left alone, and
 * so is one that waits while nobody writes.
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
      `The reader took nothing for ${checkEveryMs / 1000} s while the log of the database grew past ` +
        `${maxLogBytes / 2 ** 20} MB, so reading was ended: begin again with a reader that goes on`,
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
