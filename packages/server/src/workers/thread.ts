import { isMarkedAsUntransferable, type MessagePort } from 'node:worker_threads';
import { withOwn, type Emit, type Engine, type Step, type Steps } from '../db/engine.ts';

/**
 * What the process sends to a thread. A thread has one turn at a time, which begins with `run` or `more`:
 *
 * - `run`: a task, as plain data. The first element of `cancelled`, in shared memory, becomes 1 when nobody wants its
 *   result any more.
 * - `more`: the next pieces of a stream.
 * - `drop`: nobody wants the result, or the rest of the stream.
 * - `end`: close the engine and end.
 */
export type ToThread =
  | {
      readonly is: 'run';
      readonly id: number;
      readonly task: unknown;
      readonly cancelled: Int32Array;
    }
  | { readonly is: 'more' | 'drop'; readonly id: number }
  | { readonly is: 'end' };

/** What a thread sends back. Each message but `progress` ends its turn. */
export type FromThread =
  | { readonly is: 'progress'; readonly id: number; readonly progress: unknown }
  | { readonly is: 'done'; readonly id: number; readonly result: ThreadResult }
  | {
      readonly is: 'pieces';
      readonly id: number;
      readonly pieces: Uint8Array[];
      readonly isLast: boolean;
    }
  | { readonly is: 'failed'; readonly id: number; readonly error: unknown };

/** The result of a task, as it is sent. */
export interface ThreadResult {
  /** Plain data. */
  readonly value: unknown;
  /** Bytes, which are handed over without a copy. */
  readonly pieces: readonly Uint8Array[];
  /** Whether more bytes follow, a turn at a time. */
  readonly isStream: boolean;
}

/** The result of a task in its thread. */
export interface Performed {
  /** Plain data. */
  readonly value: unknown;
  readonly pieces?: readonly Uint8Array[];
  /** Further bytes. They are read as the receiver takes them. */
  readonly stream?: AsyncIterable<Uint8Array>;
}

/** A task while it runs. */
export interface RunningTask {
  /** Whether nobody wants the result any more. */
  readonly isCancelled: () => boolean;
  readonly onProgress: (progress: unknown) => void;
}

/** The work that a thread does. */
export interface ThreadWork {
  perform(task: unknown, running: RunningTask): Promise<Performed>;
  /** Returns an error as plain data. */
  plainError(error: unknown): unknown;
  /** Ends the statement that runs, if that is possible. */
  readonly interrupt?: () => Promise<void>;
  /** Closes what the work has opened. */
  close(): Promise<void>;
}

/** The bytes of a stream in one turn: a millisecond or two of the process's own thread. */
const bytesOfTurn = 512 * 1024;

/** Does the tasks that arrive at a port, one at a time, until it is asked to end. */
export function serveTasks(port: MessagePort, work: ThreadWork): void {
  const streams = new Map<number, AsyncIterator<Uint8Array>>();
  const send = (message: FromThread, pieces: readonly Uint8Array[] = []): void =>
    port.postMessage(message, pieces.map(bufferOf));
  let runningId = 0;
  let interrupted: Promise<void> | undefined;
  const run = async (id: number, task: unknown, cancelled: Int32Array): Promise<void> => {
    runningId = id;
    const isCancelled = (): boolean => Atomics.load(cancelled, 0) === 1;
    const onProgress = (progress: unknown): void => send({ is: 'progress', id, progress });
    const performed = work.perform(task, { isCancelled, onProgress });
    const { value, stream, ...rest } = await performed.finally(async () => {
      // It must not end a statement of the next task.
      await interrupted;
      interrupted = undefined;
      runningId = 0;
    });
    const pieces = transferable(rest.pieces ?? []);
    if (stream !== undefined && !isCancelled()) streams.set(id, stream[Symbol.asyncIterator]());
    send({ is: 'done', id, result: { value, pieces, isStream: stream !== undefined } }, pieces);
  };
  const more = async (id: number): Promise<void> => {
    const { isLast, pieces } = await nextPieces(streams.get(id)!);
    if (isLast) streams.delete(id);
    send({ is: 'pieces', id, pieces, isLast }, pieces);
  };
  const drop = async (id: number): Promise<void> => {
    if (id === runningId) interrupted ??= work.interrupt?.().catch(() => undefined);
    const stream = streams.get(id);
    streams.delete(id);
    await stream?.return?.();
  };
  const end = async (): Promise<void> => {
    await work.close();
    port.close();
  };
  const failed = (id: number) => (error: unknown) => {
    streams.delete(id);
    send({ is: 'failed', id, error: work.plainError(error) });
  };
  port.on('message', (message: ToThread) => {
    if (message.is === 'run')
      run(message.id, message.task, message.cancelled).catch(failed(message.id));
    else if (message.is === 'more') more(message.id).catch(failed(message.id));
    // The receiver has left, so nobody is interested in an error.
    else if (message.is === 'drop') drop(message.id).catch(() => undefined);
    else void end();
  });
}

async function nextPieces(stream: AsyncIterator<Uint8Array>) {
  const pieces: Uint8Array[] = [];
  for (let bytes = 0; bytes < bytesOfTurn;) {
    const next = await stream.next();
    if (next.done === true) return { pieces: transferable(pieces), isLast: true };
    pieces.push(next.value);
    bytes += next.value.length;
  }
  return { pieces: transferable(pieces), isLast: false };
}

function bufferOf({ buffer }: Uint8Array): ArrayBuffer {
  return buffer as ArrayBuffer;
}

/** Whether a piece can be handed over: it is all of its memory, and no one else has a part. */
function isOwner({ buffer, byteLength }: Uint8Array): boolean {
  return byteLength === buffer.byteLength && !isMarkedAsUntransferable(buffer);
}

/**
 * Returns the same bytes in pieces that can be handed over. Those that share their memory are joined into one. Empty
 * ones are left out: they are constants, which can be handed over once.
 */
function transferable(pieces: readonly Uint8Array[]): Uint8Array[] {
  const own: Uint8Array[] = [];
  let shared: Uint8Array[] = [];
  const flush = (): void => {
    if (shared.length > 0) own.push(inOwnMemory(shared));
    shared = [];
  };
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    if (!isOwner(piece)) shared.push(piece);
    else {
      flush();
      own.push(piece);
    }
  }
  flush();
  return own;
}

function inOwnMemory(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** The task was cancelled between two statements. */
class CancelledError extends Error {
  override name = 'CancelledError';
}

/** Returns an engine whose work ends with a CancelledError at its next statement, once the task is cancelled. */
export function cancellable(engine: Engine, { isCancelled }: RunningTask): Engine {
  const checked =
    <T>(steps: () => Steps<T>) =>
    (): Steps<T> =>
      checking(steps(), isCancelled);
  return withOwn(engine, {
    read: (steps, options) => engine.read(checked(steps), options),
    readStatement: (steps) => engine.readStatement(checked(steps)),
    write: (steps, options) => engine.write(checked(steps), options),
    stream: (steps) => engine.stream(() => checking(steps(), isCancelled)),
  });
}

function* checking<T, Y extends Step | Emit<unknown>>(
  steps: Generator<Y, T, unknown>,
  isCancelled: () => boolean,
): Generator<Y, T, unknown> {
  let next = steps.next();
  while (next.done !== true) {
    if (isCancelled()) throw new CancelledError('Nobody waits for the result');
    next = steps.next(yield next.value);
  }
  return next.value;
}
