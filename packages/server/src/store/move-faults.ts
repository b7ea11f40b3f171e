import { StoreBusyError, StoreUnavailableError } from './engine.ts';
import { MoveError } from './move-catalog.ts';

/** Runs work on one side of a move; its errors then say on which side they came up. */
export async function asMoveError<T>(
  side: 'source' | 'target',
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explained(side, error);
  }
}

function explained(side: 'source' | 'target', error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof StoreUnavailableError || error instanceof StoreBusyError)
    return new MoveError(`The ${side}: ${error.message}`, { cause: error });
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  const isRefused = String(code).startsWith('SQLITE_CONSTRAINT') || severity !== undefined;
  if (!isRefused) return error;
  return new MoveError(`The ${side} refuses what it was given: ${error.message}`, { cause: error });
}

/** What is read of the source, with its errors as {@link asMoveError} has them. */
export async function* fromSource<T>(pieces: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* pieces;
  } catch (error) {
    throw explained('source', error);
  }
}
