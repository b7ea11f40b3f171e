import { closeSync } from 'node:fs';
import { context, type Engine, type Steps } from '../../db/engine.ts';
import type { Log } from '../../jobs/scheduler.ts';
import type { WorkerPool } from '../../workers/pool.ts';
import { Problem, type ErrorDetail } from '../../operations/problem.ts';
import { mostRowsNow, workerMs } from '../operations/import-service.ts';
import type {
  CommitWork,
  ImportService,
  ImportProgress,
  PreviewWork,
  ReadingWork,
} from '../operations/import-service.ts';
import {
  blockOf,
  removePreview,
  findPreview,
  updatePreview,
  lockPreview,
  reportOf,
} from '../operations/preview-records.ts';
import type { ImportRecord } from '../operations/schema.ts';
import { isPacked, isPackedHead } from '../statement-file.ts';
import { undoChange, type UndoWork } from '../../history/undo/actions.ts';
import { withValidCaller } from '../../operations/caller.ts';
import type { OnProgress } from './read-preview.ts';

/** Longer files are read in the background. */
const mostBytesHere = 256 * 1024;
/** Shorter files, and previews of fewer rows, take a few milliseconds, also in the thread of the server. */
const mostBytesInPlace = 16 * 1024;
const mostRowsInPlace = 200;

const unwatched = (): void => undefined;

// They would slow each start.
const reader = () => import('./read-preview.ts');
const committer = () => import('./commit-preview.ts');

/**
 * Creates the service that reads and imports files. Large ones are done by a thread of the pool. Without one, as for a
 * database in memory, which has one connection, the work is done here, piece by piece.
 */
export function createImportService(
  pool: WorkerPool | null,
  log: Pick<Log, 'error'>,
): ImportService {
  const background = new Background(pool === null ? oneByOne(here) : inThread(pool), log);
  const now = async (engine: Engine, work: ImportRequest, isShort: boolean): Promise<boolean> => {
    if (pool === null || isShort) return performNow(engine, work);
    const { bookId } = work;
    if (!pool.hasRoom(bookId))
      throw new Problem('unavailable', { headers: { 'retry-after': '5' } });
    const { value } = await pool.run({ is: 'import now', work }, { bookId, isWriting: true });
    return value as boolean;
  };
  return {
    async read(engine, work) {
      const { file, bytes, bookId, id } = work;
      const handed = { over: false };
      const handOver = (isStored: boolean): false => {
        background.start(engine, { kind: 'read', isStored, ...work });
        handed.over = true;
        return false;
      };
      try {
        (await reader()).checkedOptions(work.options);
        if (bytes > mostBytesHere || isPacked(file)) return handOver(false);
        const isDone = await now(engine, { kind: 'read now', ...work }, bytes <= mostBytesInPlace);
        return isDone || handOver(true);
      } catch (error) {
        // The caller gets the error, and sends the file again.
        await removePreview(engine, bookId, id).catch(unwatched);
        throw (await reader()).asProblem(error);
      } finally {
        if (!handed.over) closeSync(file);
      }
    },

    async commit(engine, work) {
      const isShort = work.bytes <= mostBytesInPlace && work.entryCount <= mostRowsInPlace;
      try {
        if (work.isChanged) (await reader()).checkedOptions(work.options);
        const isSmall = await isSmallCommit(engine, work);
        if (isSmall) return await now(engine, { kind: 'commit now', ...work }, isShort);
        background.start(engine, { kind: 'commit', ...work });
        return false;
      } catch (error) {
        await storeFailure(engine, work, error).catch(unwatched);
        throw (await reader()).asProblem(error);
      }
    },

    undo(engine, work, { imported, replaced, known }) {
      const { bookId, id } = work;
      if (background.undoOf(bookId, id)?.is_under_way === true) {
        const errMsg = `Import ${id} is being undone, or the undo undone`;
        throw new Problem('importConflict', { details: [{ errMsg, id }] });
      }
      if (imported + replaced + known <= mostRowsNow) return false;
      background.start(engine, work);
      return true;
    },

    undoOf: (bookId, id) => background.undoOf(bookId, id),
    progressOf: (bookId, id) => background.progressOf(bookId, id),
    close: () => background.close(),
  };
}

/** Of a file that was read, the number of rows is known. One that is read again may be packed, and long. */
async function isSmallCommit(
  engine: Engine,
  { bytes, entryCount, isChanged, bookId, id }: CommitWork,
): Promise<boolean> {
  if (bytes > mostBytesHere || entryCount > mostRowsNow) return false;
  if (entryCount > 0 && !isChanged) return true;
  const head = await engine.read(() => blockOf(bookId, id, 0));
  return head === undefined || !isPackedHead(head);
}

const here: Perform = async (engine, task, onProgress, signal) => {
  signal.throwIfAborted();
  await perform(engine, task, onProgress);
};

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

/** A task that waits or runs. */
interface Waiting {
  readonly engine: Engine;
  readonly task: ImportTask;
  progress: ImportProgress;
  done: Promise<void>;
}

/** Performs tasks apart from their requests. A pool has one that writes at a time. */
class Background {
  readonly #perform: Perform;
  readonly #log: Pick<Log, 'error'>;
  readonly #waiting = new Set<Waiting>();
  readonly #closing = new AbortController();
  /** Undos that were refused, by book and import. */
  readonly #refused = new Map<string, NonNullable<ImportRecord['work']>>();
  #renewing: NodeJS.Timeout | undefined;

  constructor(perform: Perform, log: Pick<Log, 'error'>) {
    this.#perform = perform;
    this.#log = log;
  }

  /** Adds a task. Throws a Problem if too many are waiting, or if the server stops. */
  start(engine: Engine, task: ImportTask): void {
    if (this.#waiting.size >= mostWaiting || this.#closing.signal.aborted)
      throw new Problem('unavailable', { headers: { 'retry-after': '10' } });
    this.#refused.delete(`${task.bookId}/${task.id}`);
    const progress: ImportProgress = { step: 'reading', done: 0, total: 0 };
    const waiting: Waiting = { engine, task, progress, done: Promise.resolve() };
    this.#waiting.add(waiting);
    this.#renewing ??= setInterval(() => void this.#renew(), renewMs).unref();
    waiting.done = this.#attempt(waiting).finally(() => this.#leave(waiting));
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
    return [...this.#waiting].filter(({ task }) => task.bookId === bookId && task.id === id);
  }

  /** Ends all tasks. Their previews say that nobody works on them. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#waiting].map(({ done }) => done));
  }

  #leave(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#renewing);
    this.#renewing = undefined;
  }

  async #attempt(waiting: Waiting): Promise<void> {
    const { engine, task } = waiting;
    const { signal } = this.#closing;
    const onProgress = (progress: ImportProgress): void => {
      waiting.progress = progress;
    };
    try {
      await this.#perform(engine, task, onProgress, signal);
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
      const { detailsOf } = await reader();
      const [oldest = ''] = this.#refused.keys();
      if (this.#refused.size >= mostRefused) this.#refused.delete(oldest);
      const { kind } = task;
      const errors = [...detailsOf(error)];
      this.#refused.set(`${task.bookId}/${task.id}`, { kind, is_under_way: false, errors });
      return;
    }
    await storeFailure(engine, task, error).catch(() => undefined);
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

/** Returns a function that performs one task at a time, in the order of arrival. */
function oneByOne(perform: Perform): Perform {
  let last: Promise<unknown> = Promise.resolve();
  return (...task) => {
    const done = last.then(() => perform(...task));
    last = done.catch(() => undefined);
    return done;
  };
}

/** Returns a function that performs a task in a thread. An abort ends it: what was not committed is rolled back. */
function inThread(pool: WorkerPool): Perform {
  return async (_engine, task, onProgress, signal) => {
    await pool.run(
      { is: 'import', task },
      {
        bookId: task.bookId,
        isWriting: true,
        signal,
        onProgress: (progress) => onProgress(progress as ImportProgress),
      },
    );
  };
}

/** Work for the background. It can be sent to another thread. */
export type ImportTask = PreviewTask | UndoWork;

/** Work for which its caller waits. */
export type ImportRequest =
  ({ readonly kind: 'read now' } & ReadingWork) | ({ readonly kind: 'commit now' } & CommitWork);

type PreviewTask =
  | ({ readonly kind: 'read'; readonly isStored: boolean } & ReadingWork)
  | ({ readonly kind: 'commit' } & CommitWork);

/**
 * Does the work of a task, and keeps in the preview why it failed. Rejects with an error that is no Problem: it belongs
 * in the log, and the preview has a sentence instead. Rejects with a Problem for an undo that is refused.
 */
export async function perform(
  engine: Engine,
  task: ImportTask,
  onProgress: OnProgress,
): Promise<void> {
  if ('mode' in task) await undo(engine, task);
  else await performPreview(engine, task, onProgress);
}

/**
 * Reads or imports a file while its caller waits, and is valid. Resolves to false for a file with too many rows: it is
 * stored, but not compared. Rejects with a Problem for a file that cannot be read or imported.
 */
export async function performNow(engine: Engine, work: ImportRequest): Promise<boolean> {
  const own = work.caller === undefined ? engine : withValidCaller(engine, work.caller);
  try {
    if (work.kind === 'commit now') {
      await commit(own, work, unwatched);
      return true;
    }
    const { readPreview, storeFile } = await reader();
    await storeFile(own, work, work.file, unwatched);
    const reading = { onProgress: unwatched, mostEntries: mostRowsNow };
    return await readPreview(own, work, work.file, reading);
  } catch (error) {
    throw (await reader()).asProblem(error);
  }
}

async function performPreview(
  engine: Engine,
  task: PreviewTask,
  onProgress: OnProgress,
): Promise<void> {
  try {
    if (task.kind === 'read') await read(engine, task, onProgress);
    else await commit(engine, task, onProgress);
  } catch (error) {
    const problem = (await reader()).asProblem(error);
    await storeFailure(engine, task, problem);
    if (!(problem instanceof Problem)) throw error;
  }
}

async function undo(engine: Engine, { version, mode, ...rest }: UndoWork): Promise<void> {
  const { bookId, actor, operation } = rest;
  await undoChange(engine, { bookId, actor, operation }, version, { mode });
}

async function read(
  engine: Engine,
  task: ImportTask & { kind: 'read' },
  onProgress: OnProgress,
): Promise<void> {
  const { file, bytes: total, isStored } = task;
  const { readPreview, storeFile } = await reader();
  if (!isStored)
    await storeFile(engine, task, file, (done) => onProgress({ step: 'storing', done, total }));
  await readPreview(engine, task, file, { onProgress });
}

/** Imports a preview. Reads its file again only if its options have changed. */
async function commit(engine: Engine, work: CommitWork, onProgress: OnProgress): Promise<void> {
  const { commitPreview, committingAsStored } = await committer();
  const stored = await committingAsStored(engine, work, onProgress);
  const committing = stored ?? (await (await reader()).committingAgain(engine, work, onProgress));
  await commitPreview(engine, work, committing);
}

/** Keeps in a preview why the work on it ended. What an earlier reading found stays. */
async function storeFailure(
  engine: Engine,
  { bookId, id }: PreviewWork,
  error: unknown,
): Promise<void> {
  const { detailsOf, failedReport } = await reader();
  const errors: ErrorDetail[] = [...detailsOf(error)];
  await engine.write(function* () {
    if ((yield* findPreview(bookId, id)) === undefined) return;
    const row = yield* lockPreview(bookId, id);
    // The rows were stored again, because they have changed.
    if (row.status === 'ready') return;
    const known = reportOf(row);
    const isReadable = row.status === 'committing' && known !== null && known.format !== null;
    yield* updatePreview(bookId, id, {
      status: isReadable ? 'ready' : 'failed',
      report: JSON.stringify(isReadable ? { ...known, errors } : failedReport(errors)),
      worker_until_ms: 0,
    });
  });
}
