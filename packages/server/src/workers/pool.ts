import type { Worker } from 'node:worker_threads';
import { DatabaseError } from '../db/errors.ts';
import type { FromThread, ToThread } from './thread.ts';

/** Whose task it is, and what else the pool must know. */
export interface TaskOptions {
  readonly bookId: number;
  /** Only one task that writes runs at a time: an SQLite file has one writer, and PostgreSQL has other work too. */
  readonly isWriting: boolean;
  /** Aborted when nobody wants the result any more. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: unknown) => void;
}

/** The result of a task. */
export interface TaskResult {
  /** Plain data. */
  readonly value: unknown;
  readonly pieces: readonly Uint8Array[];
  /** Further bytes, which can be read once; null for none. An abort of the task ends them. */
  readonly stream: AsyncIterable<Uint8Array> | null;
}

/** What a pool is made of. */
export interface PoolOptions {
  /** Starts a thread that serves tasks. */
  readonly spawn: () => Worker;
  /** Converts what a thread has sent back to the error. */
  readonly errorOf: (plain: unknown) => unknown;
  /** The most threads; at least two, so that a task that writes does not keep those that read waiting. */
  readonly mostThreads: number;
  /** A thread without work ends after this time; 15 s by default. */
  readonly idleMs?: number;
  /** A thread whose task was cancelled is ended if it does not stop in this time; 1 s by default. */
  readonly graceMs?: number;
}

/** The figures of a pool. */
export interface PoolCounts {
  readonly threads: number;
  readonly running: number;
  readonly waiting: number;
}

/** How many tasks may wait. */
export const mostWaiting = { ofBook: 20, ofNode: 200 } as const;
const defaultIdleMs = 15_000;
const defaultGraceMs = 1000;

/** A task, from its start to the end of its stream. */
interface Job {
  readonly id: number;
  readonly task: unknown;
  readonly options: TaskOptions;
  readonly cancelled: Int32Array;
  /** The thread that has begun it; null before. */
  thread: PoolThread | null;
  /** Why what arrives later is of no use; null while it goes on. */
  over: Error | null;
  /** Forgets the signal. */
  readonly settle: () => void;
}

/** A part of a task that a thread does at a stretch: its beginning, or the next pieces of its stream. */
interface Turn {
  readonly bookId: number;
  readonly job: Job;
  readonly is: 'run' | 'more';
  readonly resolve: (message: FromThread) => void;
  readonly reject: (error: unknown) => void;
}

interface PoolThread {
  readonly worker: Worker;
  turn: Turn | null;
  /** Jobs whose stream it has, apart from the one whose turn it is. */
  readonly streams: Set<Job>;
  /** The book of its last turn: it remembers what it has read. */
  lastBook: number;
  /** Ends it when it rests, or when it does not stop. */
  timer?: NodeJS.Timeout;
  /** Why it failed. */
  error?: unknown;
}

/**
 * Runs tasks in threads that have an engine of their own, so that the thread of the process serves others meanwhile.
 *
 * Threads start when there is work for them, and end when there has been none for a while. Books take turns, and tasks
 * of a book begin in their order. One book never has all threads with reads, nor all books together with writes. A
 * stream has a thread only while its next pieces are made, so a slow reader keeps nobody waiting.
 */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #queue = new FairQueue<Turn>();
  readonly #threads = new Set<PoolThread>();
  readonly #ending = new Set<PoolThread>();
  #lastId = 0;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get counts(): PoolCounts {
    const running = [...this.#threads].filter(({ turn }) => turn !== null).length;
    return { threads: this.#threads.size, running, waiting: this.#queue.length };
  }

  /** Whether another task of a book may wait. Those that are accepted before their response do not ask. */
  hasRoom(bookId: number): boolean {
    const { length } = this.#queue;
    return length < mostWaiting.ofNode && this.#queue.lengthOf(bookId) < mostWaiting.ofBook;
  }

  /**
   * Runs a task in a thread, in its turn. Rejects with what it throws; with a DatabaseError of the kind `unavailable`
   * if its thread ends; or with the reason of the signal: a task that waits is dropped, and one that runs ends at its
   * next statement, or its thread does.
   */
  async run(task: unknown, options: TaskOptions): Promise<TaskResult> {
    options.signal?.throwIfAborted();
    const job = this.#jobOf(task, options);
    const message = await this.#turn(job, 'run');
    const { value, pieces, isStream } = (message as FromThread & { is: 'done' }).result;
    return { value, pieces, stream: isStream ? this.#streamOf(job) : null };
  }

  /** Ends all threads. Tasks that wait or run are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#queue.clear()) reject(stopping());
    const all = [...this.#threads, ...this.#ending];
    await Promise.all(all.map(({ worker }) => worker.terminate()));
  }

  #jobOf(task: unknown, options: TaskOptions): Job {
    const { signal } = options;
    const cancel = (): void => this.#cancel(job, signal?.reason as Error);
    signal?.addEventListener('abort', cancel, { once: true });
    const cancelled = new Int32Array(new SharedArrayBuffer(4));
    const settle = (): void => signal?.removeEventListener('abort', cancel);
    const id = (this.#lastId += 1);
    const job: Job = { id, task, options, cancelled, thread: null, over: null, settle };
    return job;
  }

  #turn(job: Job, is: Turn['is']): Promise<FromThread> {
    const over = this.#isClosed ? stopping() : job.over;
    if (over !== null) return Promise.reject(over);
    const { promise, resolve, reject } = Promise.withResolvers<FromThread>();
    // It can be awaited later.
    promise.catch(() => undefined);
    this.#queue.add({ bookId: job.options.bookId, job, is, resolve, reject });
    this.#dispatch();
    return promise;
  }

  async *#streamOf(job: Job): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let next = this.#turn(job, 'more'); ;) {
        const { pieces, isLast } = (await next) as FromThread & { is: 'pieces' };
        // They are made while the reader takes these.
        if (!isLast) next = this.#turn(job, 'more');
        yield* pieces;
        if (isLast) return;
      }
    } finally {
      this.#cancel(job, unavailable('The reader has left'));
    }
  }

  /** Gives turns to threads until no further one can run. */
  #dispatch(): void {
    for (;;) {
      const turn = this.#queue.take((each) => this.#canRun(each));
      if (turn === undefined) return;
      this.#begin(turn, turn.job.thread ?? this.#threadFor(turn.bookId));
    }
  }

  #canRun({ job }: Turn): boolean {
    if (job.thread !== null) return job.thread.turn === null;
    const running = [...this.#threads].flatMap(({ turn }) => (turn === null ? [] : [turn.job]));
    const { mostThreads } = this.#options;
    if (running.length >= mostThreads) return false;
    const { isWriting, bookId } = job.options;
    const alike = running.filter(
      ({ options }) => options.isWriting === isWriting && (isWriting || options.bookId === bookId),
    );
    return alike.length < (isWriting ? 1 : mostThreads - 1);
  }

  /** Returns a thread without a turn: if possible, the one that had the last turn of the book, or has no stream. */
  #threadFor(bookId: number): PoolThread {
    const idle = [...this.#threads].filter(({ turn }) => turn === null);
    const found =
      idle.find(({ lastBook }) => lastBook === bookId) ??
      idle.find(({ streams }) => streams.size === 0);
    if (found !== undefined) return found;
    return this.#threads.size < this.#options.mostThreads ? this.#start() : idle[0]!;
  }

  #begin(turn: Turn, thread: PoolThread): void {
    clearTimeout(thread.timer);
    const { job, is } = turn;
    const { id, task, cancelled } = job;
    job.thread = thread;
    thread.turn = turn;
    thread.lastBook = turn.bookId;
    thread.streams.delete(job);
    post(thread, is === 'run' ? { is, id, task, cancelled } : { is, id });
  }

  #start(): PoolThread {
    const worker = this.#options.spawn();
    const thread: PoolThread = { worker, turn: null, streams: new Set(), lastBook: 0 };
    worker.on('message', (message: FromThread) => this.#receive(thread, message));
    worker.on('error', (error: unknown) => {
      thread.error = error;
    });
    worker.on('exit', () => this.#lose(thread));
    this.#threads.add(thread);
    return thread;
  }

  #receive(thread: PoolThread, message: FromThread): void {
    const { turn } = thread;
    // The progress of a task can arrive after its end.
    if (turn?.job.id !== message.id) return;
    const { job } = turn;
    if (message.is === 'progress') {
      if (job.over === null) job.options.onProgress?.(message.progress);
      return;
    }
    clearTimeout(thread.timer);
    thread.turn = null;
    if (!goesOn(message)) finish(job);
    else if (job.over === null) thread.streams.add(job);
    else post(thread, { is: 'drop', id: job.id });
    if (message.is === 'failed') turn.reject(this.#options.errorOf(message.error));
    else turn.resolve(message);
    this.#dispatch();
    this.#rest(thread);
  }

  /** Ends a thread that has nothing to do for a while. */
  #rest(thread: PoolThread): void {
    if (thread.turn !== null || thread.streams.size > 0) return;
    clearTimeout(thread.timer);
    thread.timer = setTimeout(() => {
      this.#threads.delete(thread);
      this.#ending.add(thread);
      post(thread, { is: 'end' });
    }, this.#options.idleMs ?? defaultIdleMs).unref();
  }

  /** Drops what waits of a job, and ends what runs. Its promise rejects at once. */
  #cancel(job: Job, reason: Error): void {
    if (job.over !== null) return;
    finish(job, reason);
    Atomics.store(job.cancelled, 0, 1);
    this.#queue.remove((turn) => turn.job === job)?.reject(reason);
    const { thread } = job;
    if (thread === null) return;
    thread.streams.delete(job);
    post(thread, { is: 'drop', id: job.id });
    if (thread.turn?.job !== job) {
      this.#rest(thread);
      return;
    }
    thread.turn.reject(reason);
    const { graceMs = defaultGraceMs } = this.#options;
    thread.timer = setTimeout(() => void thread.worker.terminate(), graceMs).unref();
  }

  /** A thread has ended. Its jobs fail, and the next turn gets a new one. */
  #lose(thread: PoolThread): void {
    clearTimeout(thread.timer);
    this.#threads.delete(thread);
    this.#ending.delete(thread);
    const error = unavailable('A thread of the server ended too early', thread.error);
    const { turn, streams } = thread;
    thread.turn = null;
    turn?.reject(error);
    for (const job of [...streams, ...(turn === null ? [] : [turn.job])]) {
      finish(job, error);
      this.#queue.remove((waiting) => waiting.job === job)?.reject(error);
    }
    if (!this.#isClosed) this.#dispatch();
  }
}

/** Nothing of the transaction of the task is stored, or everything. */
function unavailable(message: string, cause?: unknown): DatabaseError {
  return new DatabaseError('unavailable', message, { cause });
}

function stopping(): DatabaseError {
  return unavailable('The server is stopping');
}

function finish(job: Job, reason: Error = unavailable('The task has ended')): void {
  job.over ??= reason;
  job.settle();
}

/** Whether the thread has more pieces of the task. */
function goesOn(message: FromThread): boolean {
  if (message.is === 'done') return message.result.isStream;
  return message.is === 'pieces' && !message.isLast;
}

function post({ worker }: PoolThread, message: ToThread): void {
  worker.postMessage(message);
}

/** Something that waits for a book. */
interface OfBook {
  readonly bookId: number;
}

/**
 * A queue in which books take turns: each book waits in its own line, and the line whose turn it was last comes last.
 * So a book with many requests does not keep those of others waiting.
 */
export class FairQueue<T extends OfBook> {
  /** The next line first. None is empty. */
  readonly #lines = new Map<number, T[]>();
  #length = 0;

  /** How many wait, of all books. */
  get length(): number {
    return this.#length;
  }

  /** How many of a book wait. */
  lengthOf(bookId: number): number {
    return this.#lines.get(bookId)?.length ?? 0;
  }

  add(entry: T): void {
    const line = this.#lines.get(entry.bookId);
    if (line === undefined) this.#lines.set(entry.bookId, [entry]);
    else line.push(entry);
    this.#length += 1;
  }

  /** Removes and returns the next entry that can run: the first one of its line for which that holds. */
  take(canRun: (entry: T) => boolean): T | undefined {
    const entry = this.remove(canRun);
    const line = entry && this.#lines.get(entry.bookId);
    if (line !== undefined) {
      this.#lines.delete(entry!.bookId);
      this.#lines.set(entry!.bookId, line);
    }
    return entry;
  }

  /** Removes and returns the first entry that is looked for; the order of the books stays. */
  remove(isWanted: (entry: T) => boolean): T | undefined {
    for (const [bookId, line] of this.#lines) {
      const at = line.findIndex(isWanted);
      if (at === -1) continue;
      const [entry] = line.splice(at, 1);
      if (line.length === 0) this.#lines.delete(bookId);
      this.#length -= 1;
      return entry;
    }
    return undefined;
  }

  /** Removes and returns all entries. */
  clear(): T[] {
    const all = [...this.#lines.values()].flat();
    this.#lines.clear();
    this.#length = 0;
    return all;
  }
}
