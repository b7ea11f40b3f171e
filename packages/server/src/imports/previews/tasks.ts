import type { UndoWork } from '../../history/undo/actions.ts';
import type { Engine } from '../../db/engine.ts';
import { undoChange } from '../../history/undo/actions.ts';
import { withValidCaller } from '../../operations/caller.ts';
import { Problem } from '../../operations/problem.ts';
import type { ErrorDetail } from '../../operations/problem.ts';
import { mostRowsNow } from '../operations/import-service.ts';
import type { CommitWork, PreviewWork, ReadingWork } from '../operations/import-service.ts';
import {
  findPreview,
  lockPreview,
  reportOf,
  updatePreview,
} from '../operations/preview-records.ts';
import { commitPreview, committingAsStored } from './commit-preview.ts';
import { asProblem, detailsOf } from './open-preview.ts';
import { failedReport, readPreview, storeFile } from './read-preview.ts';
import type { OnProgress } from './read-preview.ts';

/** Work for the background. It can be sent to another thread. */
export type ImportTask = PreviewTask | UndoWork;

/** Work for which its caller waits. */
export type ImportRequest =
  ({ readonly kind: 'read now' } & ReadingWork) | ({ readonly kind: 'commit now' } & CommitWork);

type PreviewTask =
  | ({ readonly kind: 'read'; readonly isStored: boolean } & ReadingWork)
  | ({ readonly kind: 'commit' } & CommitWork);

const unwatched = (): void => undefined;

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
    await storeFile(own, work, work.file, unwatched);
    const reading = { onProgress: unwatched, mostEntries: mostRowsNow };
    return await readPreview(own, work, work.file, reading);
  } catch (error) {
    throw asProblem(error);
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
    const problem = asProblem(error);
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
  if (!isStored)
    await storeFile(engine, task, file, (done) => onProgress({ step: 'storing', done, total }));
  await readPreview(engine, task, file, { onProgress });
}

/** Imports a preview. Reads its file again only if its options have changed. */
async function commit(engine: Engine, work: CommitWork, onProgress: OnProgress): Promise<void> {
  const stored = await committingAsStored(engine, work, onProgress);
  if (stored !== null) return commitPreview(engine, work, stored);
  const { committingAgain } = await import('./read-preview.ts');
  await commitPreview(engine, work, await committingAgain(engine, work, onProgress));
}

/** Keeps in a preview why the work on it ended. What an earlier reading found stays. */
export async function storeFailure(
  engine: Engine,
  { bookId, id }: PreviewWork,
  error: unknown,
): Promise<void> {
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
