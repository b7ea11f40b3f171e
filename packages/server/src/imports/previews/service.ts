import { closeSync } from 'node:fs';
import type { ImportService } from '../operations/import-service.ts';
import { removePreview } from '../operations/preview-records.ts';
import type { WorkerDatabase } from './worker.ts';
import { Problem } from '../../operations/problem.ts';
import { isPacked } from '../packed-file.ts';
import { Background } from './background.ts';
import type { ImportLog, Perform } from './background.ts';
import { inWorker } from './in-worker.ts';

/** Longer files are read in the background. */
const mostBytesHere = 256 * 1024;
/** Files with more rows are compared and imported in the background: a tenth of a second of work. */
const mostRowsHere = 2000;

const unwatched = (): void => undefined;

/**
 * Creates the service that reads and imports files. Large ones are done by a worker with its own connection. A database
 * in memory has only one (`database` is null), so the work is then done here, piece by piece.
 */
export function createImportService(
  database: WorkerDatabase | null,
  log: ImportLog,
): ImportService {
  const background = new Background(database === null ? here : inWorker(database), log);
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
        const { checkedOptions } = await import('./open-preview.ts');
        checkedOptions(work.options);
        if (bytes > mostBytesHere || isPacked(file)) return handOver(false);
        const { readPreview, storeFile } = await import('./read-preview.ts');
        await storeFile(engine, work, file, unwatched);
        const reading = { onProgress: unwatched, mostEntries: mostRowsHere };
        return (await readPreview(engine, work, file, reading)) || handOver(true);
      } catch (error) {
        // The caller gets the error, and sends the file again.
        await removePreview(engine, bookId, id).catch(unwatched);
        const { asProblem } = await import('./failures.ts');
        throw asProblem(error);
      } finally {
        if (!handed.over) closeSync(file);
      }
    },

    async commit(engine, work) {
      const { asProblem } = await import('./failures.ts');
      const { commitPreview } = await import('./commit-preview.ts');
      const { checkedOptions, spool } = await import('./open-preview.ts');
      const { keepFailure } = await import('./tasks.ts');
      try {
        checkedOptions(work.options);
        let isSmall = work.bytes <= mostBytesHere && work.entryCount <= mostRowsHere;
        if (isSmall) {
          const file = await spool(engine, work.bookId, work.id);
          try {
            isSmall = !isPacked(file);
            if (isSmall) await commitPreview(engine, work, file, unwatched);
          } finally {
            closeSync(file);
          }
        }
        if (!isSmall) background.start(engine, { kind: 'commit', ...work });
        return isSmall;
      } catch (error) {
        await keepFailure(engine, work, error).catch(unwatched);
        throw asProblem(error);
      }
    },

    undo(engine, work, { imported, replaced, known }) {
      const { bookId, id } = work;
      if (background.undoOf(bookId, id)?.is_under_way === true) {
        const errMsg = `Import ${id} is being undone, or the undo undone`;
        throw new Problem('importConflict', { details: [{ errMsg, id }] });
      }
      if (imported + replaced + known <= mostRowsHere) return false;
      background.start(engine, work);
      return true;
    },

    undoOf: (bookId, id) => background.undoOf(bookId, id),
    progressOf: (bookId, id) => background.progressOf(bookId, id),
    close: () => background.close(),
  };
}

const here: Perform = async (engine, task, onProgress) => {
  const { perform } = await import('./tasks.ts');
  await perform(engine, task, onProgress);
};
