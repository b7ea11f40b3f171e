import { closeSync } from 'node:fs';
import type { Engine, Steps } from '../../db/engine.ts';
import { context } from '../../db/engine.ts';
import { findPreview, updatePreview } from '../operations/preview-records.ts';
import { workerMs, type ImportProgress } from '../operations/import-service.ts';
import type { ImportRecord } from '../operations/schema.ts';
import { Problem } from '../../operations/problem.ts';
import type { ImportTask } from './tasks.ts';

/** Each waiting task may have an open file. */
const mostWaiting = 50;
/** Refused undos that are remembered. */
const mostRefused = 100;
const renewMs = 30_000;

/** Performs a task, perhaps in another thread, until the signal is aborted. */
export type Perform = (
  engine: Engine,
  task: ImportTask,
  onProgress: (progress: ImportProgress) => void,
  signal: AbortSignal,
) => Promise<void>;

/** Where failures are reported. */
export interface ImportLog {
  error(details: object, message: string): void;
}

/** A task that waits or runs. */
interface Waiting {
  readonly engine: Engine;
  readonly task: ImportTask;
  progress: ImportProgress;
}

/**
 * Performs tasks one after another, in the order of arrival. An SQLite file has one writer anyway, and several readers
 * of large files would need the memory of all.
 */
export class Background {
  readonly #perform: Perform;
  readonly #log: ImportLog;
  readonly #waiting: Waiting[] = [];
  readonly #closing = new AbortController();
  /** Undos that were refused, by book and import. */
  readonly #refused = new Map<string, NonNullable<ImportRecord['work']>>();
  #running: Promise<void> | null = null;

  constructor(perform: Perform, log: ImportLog) {
    this.#perform = perform;
    this.#log = log;
  }

  /** Adds a task. Throws a Problem if too many are waiting, or if the server stops. */
  start(engine: Engine, task: ImportTask): void {
    if (this.#waiting.length >= mostWaiting || this.#closing.signal.aborted)
      throw new Problem('unavailable', { headers: { 'retry-after': '10' } });
    this.#refused.delete(`${task.bookId}/${task.id}`);
    const progress: ImportProgress = { step: 'reading', done: 0, total: 0 };
    this.#waiting.push({ engine, task, progress });
    this.#running ??= this.#run();
  }

  progressOf(bookId: number, id: number): ImportProgress | null {
    return this.#allOf(bookId, id)[0]?.progress ?? null;
  }

  /** Returns the undo of an import that waits or runs, or the last one that was refused. */
  undoOf(bookId: number, id: number): ImportRecord['work'] {
    // Its import may not have left the line yet.
    for (const { task } of this.#allOf(bookId, id))
      if ('mode' in task) return { kind: task.kind, is_under_way: true, errors: [] };
    return this.#refused.get(`${bookId}/${id}`) ?? null;
  }

  #allOf(bookId: number, id: number): Waiting[] {
    return this.#waiting.filter(({ task }) => task.bookId === bookId && task.id === id);
  }

  /** Ends the running task, and forgets the others. Their previews say that nobody works on them. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const renewing = setInterval(() => void this.#renew(), renewMs).unref();
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      await this.#attempt(first);
      this.#waiting.shift();
    }
    clearInterval(renewing);
    this.#running = null;
  }

  async #attempt(waiting: Waiting): Promise<void> {
    const { engine, task } = waiting;
    const { signal } = this.#closing;
    const onProgress = (progress: ImportProgress): void => {
      waiting.progress = progress;
    };
    try {
      if (!signal.aborted) await this.#perform(engine, task, onProgress, signal);
    } catch (error) {
      if (!signal.aborted) await this.#note(waiting, error);
    } finally {
      if (task.kind === 'read') closeSync(task.file);
      if (signal.aborted) await engine.write(() => release(task, 0)).catch(() => undefined);
    }
  }

  async #note({ engine, task }: Waiting, error: unknown): Promise<void> {
    if (!(error instanceof Problem))
      this.#log.error({ err: error, import: task.id }, 'The work on an import failed');
    if (task.kind === 'undo' || task.kind === 'redo') {
      const { detailsOf } = await import('./failures.ts');
      const [oldest = ''] = this.#refused.keys();
      if (this.#refused.size >= mostRefused) this.#refused.delete(oldest);
      const { kind } = task;
      const errors = [...detailsOf(error)];
      this.#refused.set(`${task.bookId}/${task.id}`, { kind, is_under_way: false, errors });
      return;
    }
    const { keepFailure } = await import('./tasks.ts');
    await keepFailure(engine, task, error).catch(() => undefined);
  }

  async #renew(): Promise<void> {
    for (const { engine, task } of this.#waiting)
      // The database may be busy, with this very import.
      await engine.write(() => release(task, workerMs)).catch(() => undefined);
  }
}

/** Sets for how long others leave a preview alone. */
function* release({ bookId, id }: ImportTask, forMs: number): Steps<void> {
  const row = yield* findPreview(bookId, id);
  if (row?.status !== 'reading' && row?.status !== 'committing') return;
  const { nowMs } = yield* context();
  yield* updatePreview(bookId, id, { worker_until_ms: forMs === 0 ? 0 : nowMs + forMs });
}
