import { Emit } from './engine.ts';
import type { Step } from './engine.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** Runs an operation in one read transaction and hands out what it emits. */
export function* emitted<T>(
  connection: SqliteConnection,
  operation: () => Generator<Step | Emit<T>, void, unknown>,
): Generator<T, void, undefined> {
  connection.database.exec('BEGIN');
  try {
    const steps = operation();
    let next = steps.next();
    while (next.done !== true) {
      if (next.value instanceof Emit) {
        yield next.value.value;
        next = steps.next();
      } else {
        next = steps.next(connection.perform(next.value));
      }
    }
  } finally {
    connection.rollBack();
  }
}

/** The values, and the end of the connection when they end or nobody wants more. */
export function* closing<T>(
  values: Iterable<T>,
  connection: SqliteConnection,
): Generator<T, void, undefined> {
  try {
    yield* values;
  } finally {
    connection.close();
  }
}

/** The values to a reader who waits for each, as for those of an engine behind a socket. */
export function inTurns<T>(values: Iterable<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = values[Symbol.iterator]();
      const ended = { done: true, value: undefined } as const;
      return {
        next: () => settled(() => iterator.next()),
        return: () => settled(() => iterator.return?.() ?? ended),
      };
    },
  };
}

/** What synchronous work gives or throws, as a promise. */
function settled<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
