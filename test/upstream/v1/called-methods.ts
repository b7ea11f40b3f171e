import assert from 'node:assert/strict';

/** Calls the methods of a client by their names, and remembers which were called. */
export class CalledMethods {
  readonly #client: object;
  readonly #called = new Set<string>();

  constructor(client: object) {
    this.#client = client;
  }

  /** Calls a method; `T` is what it returns, as the caller checks. */
  async call<T>(name: string, ...args: unknown[]): Promise<T> {
    this.#called.add(name);
    const method = Reflect.get(this.#client, name) as (...all: unknown[]) => unknown;
    return (await method.apply(this.#client, args)) as T;
  }

  /** Fails unless every method of the client's class was called, except those that send its requests. */
  assertAll(...internal: readonly string[]): void {
    const prototype = Object.getPrototypeOf(this.#client) as object;
    const all = Object.getOwnPropertyNames(prototype).filter(
      (name) => !['constructor', 'request', ...internal].includes(name),
    );
    assert.deepEqual([...this.#called].toSorted(), all.toSorted());
  }
}
