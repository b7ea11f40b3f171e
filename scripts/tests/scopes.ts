/*
 * Gives Node's test runner a cheaper way to know which test a promise, a timer or a connection belongs to.
 *
 * It follows each of them by hooks of `node:async_hooks`, and keeps a weak reference to each promise: 5 % of a profile
 * of all tests, without what the collector of garbage does for it. An AsyncLocalStorage knows the same at no such cost.
 * This file is loaded before `node:test`, which then finds these in place of the hooks; nothing else does.
 */
import hooks, { AsyncLocalStorage, type HookCallbacks } from 'node:async_hooks';

const current = new AsyncLocalStorage<number>();
let lastId = 0;
let callbacks: HookCallbacks | null = null;

/** What the tests of the runner are derived from: work that runs in it, and all that it starts, has its id. */
class Scope {
  readonly #id = (lastId += 1);
  readonly #inContext = AsyncLocalStorage.snapshot();

  constructor(type: string) {
    callbacks?.init?.(this.#id, type, current.getStore() ?? 0, this);
  }

  static bind<A extends unknown[], R>(work: (...given: A) => R): (...given: A) => R {
    return AsyncLocalStorage.bind(work);
  }

  bind<A extends unknown[], R>(work: (...given: A) => R): (...given: A) => R {
    return (...given) => this.runInAsyncScope(work, undefined, ...given);
  }

  asyncId(): number {
    return this.#id;
  }

  runInAsyncScope<T, A extends unknown[], R>(
    work: (this: T, ...given: A) => R,
    self: T,
    ...given: A
  ): R {
    return this.#inContext(() => current.run(this.#id, () => work.apply(self, given)));
  }
}

const { AsyncResource, createHook, executionAsyncId } = hooks;
Object.assign(hooks, {
  AsyncResource: Scope,
  executionAsyncId: () => current.getStore() ?? 0,
  createHook: (given: HookCallbacks) => ({
    enable: () => (callbacks = given),
    disable: () => (callbacks = null),
  }),
});
process.getBuiltinModule('node:test');
Object.assign(hooks, { AsyncResource, createHook, executionAsyncId });
