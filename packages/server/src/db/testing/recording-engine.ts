import type { Sql } from 'sql-template-tag';
import type { BulkInsert, ContextStep, Emit, Engine, Steps, Step } from '../engine.ts';

/** A step that an engine performed, and the operation that it belongs to. */
export interface Recorded {
  readonly operation: string;
  readonly step: Sql | BulkInsert;
}

/** An engine that passes every step to another engine and records it. */
export interface RecordingEngine extends Engine {
  readonly recorded: readonly Recorded[];
  operation: string;
}

/** Returns the statement of a step that runs one. */
export function statementOf(step: Exclude<Step, BulkInsert | ContextStep>): Sql {
  if ('joinRows' in step) return step.joinRows;
  return 'bytesOf' in step ? step.bytesOf : step;
}

export function recordingEngine(engine: Engine): RecordingEngine {
  const recorded: Recorded[] = [];
  const note = (step: Step): void => {
    const { operation } = recording;
    if ('get' in step) return;
    recorded.push({ operation, step: 'insertInto' in step ? step : statementOf(step) });
  };
  const recording: RecordingEngine = {
    recorded,
    operation: '',
    dialect: engine.dialect,
    get canWrite() {
      return engine.canWrite;
    },
    read: (operation, options) => engine.read(() => noted(operation(), note), options),
    readStatement: (operation) => engine.readStatement(() => noted(operation(), note)),
    write: (operation, options) => engine.write(() => noted(operation(), note), options),
    stream: (operation) => engine.stream(() => noted(operation(), note)),
    eraseDeleted: (options) => engine.eraseDeleted(options),
    close: () => engine.close(),
  };
  return recording;
}

function noted<T>(steps: Steps<T>, note: (step: Step) => void): Steps<T>;
function noted<T>(
  steps: Generator<Step | Emit<T>, void, unknown>,
  note: (step: Step) => void,
): Generator<Step | Emit<T>, void, unknown>;
function* noted<T, R>(
  steps: Generator<Step | Emit<T>, R, unknown>,
  note: (step: Step) => void,
): Generator<Step | Emit<T>, R, unknown> {
  let next = steps.next();
  while (next.done !== true) {
    if (!('value' in next.value)) note(next.value);
    next = steps.next(yield next.value);
  }
  return next.value;
}
