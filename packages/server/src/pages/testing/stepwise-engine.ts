import type { Emit, Engine, Step, Steps } from '../../db/engine.ts';

/** Called before a statement that is read without a transaction, with its number from 0. */
export type Between = (statement: number) => Promise<void>;

/** Returns an engine that calls `between` wherever others can commit while steps are read without a snapshot. */
export function stepwiseEngine(engine: Engine, between: Between): Engine {
  return {
    dialect: engine.dialect,
    canWrite: true,
    read: (steps, { onSnapshot = true } = {}) =>
      onSnapshot ? engine.read(steps) : stepwise(engine, steps(), between),
    readStatement: (steps) => engine.readStatement(steps),
    write: (steps, options) => engine.write(steps, options),
    stream: <T>(steps: () => Generator<Step | Emit<T>, void, unknown>) => engine.stream(steps),
    close: () => engine.close(),
  };
}

async function stepwise<T>(engine: Engine, steps: Steps<T>, between: Between): Promise<T> {
  let statement = 0;
  let next = steps.next();
  while (next.done !== true) {
    const step = next.value;
    await between(statement);
    statement += 1;
    const result = await engine.readStatement(function* () {
      return yield step;
    });
    next = steps.next(result);
  }
  return next.value;
}
