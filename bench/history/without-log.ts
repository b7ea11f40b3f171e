import { ChangeLog } from '../../packages/server/src/book/change-log.ts';
import type { Engine, Step, Steps } from '../../packages/server/src/db/engine.ts';

const { prototype } = ChangeLog;
const noted = ['noteMade', 'noteChanged', 'noteRemoved', 'writeWhenMany', 'finish', 'isEmpty'];
const usual = noted.map(
  (name) => [name, Object.getOwnPropertyDescriptor(prototype, name)!] as const,
);

/** Runs work whose changes are not noted, so that they are neither compared, nor converted to JSON, nor written. */
export async function withoutLog<T>(work: () => Promise<T>): Promise<T> {
  for (const [name, descriptor] of usual) {
    const isGetter = descriptor.get !== undefined;
    const without = isGetter ? { get: () => false } : { value: nothing };
    Object.defineProperty(prototype, name, { ...without, configurable: true });
  }
  try {
    return await work();
  } finally {
    for (const [name, descriptor] of usual) Object.defineProperty(prototype, name, descriptor);
  }
}

/** For a generator too: an array without elements is delegated to like steps without a statement. */
function nothing(): readonly never[] {
  return [];
}

export function droppingLog(engine: Engine): Engine {
  return writingThrough(engine, (steps, options) => engine.write(() => dropping(steps()), options));
}

export function writingThrough(engine: Engine, write: Engine['write']): Engine {
  return new Proxy(engine, {
    get: (target, name) => (name === 'write' ? write : boundTo(target, name)),
  });
}

function boundTo(target: Engine, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? (value.bind(target) as unknown) : value;
}

function* dropping<T>(steps: Steps<T>): Steps<T> {
  let next = steps.next();
  while (next.done !== true) next = steps.next(isOfLog(next.value) ? [] : yield next.value);
  return next.value;
}

function isOfLog(step: Step): boolean {
  return 'insertInto' in step && ['changes', 'changed_records'].includes(step.insertInto);
}
