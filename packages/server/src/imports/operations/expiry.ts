import sql from 'sql-template-tag';
import { updateUnlogged } from '../../book/unlogged.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { importPreviews } from '../../db/tables/tables.ts';
import type { Job } from '../../jobs/scheduler.ts';
import { removePreview } from './preview-records.ts';

const everyMs = 3_600_000;
const foundAtOnce = 100;

/** The job that deletes previews that have expired, or whose deletion was interrupted. */
export const expiredPreviewsJob: Job = {
  name: 'import previews',
  everyMs,
  run: async (engine, nowMs, signal) => {
    await removeExpired(engine, { nowMs, signal });
  },
};

/** Deletes the previews that have expired by then. Returns how many. */
export async function removeExpired(
  engine: Engine,
  { nowMs, signal }: { readonly nowMs: number; readonly signal?: AbortSignal },
): Promise<number> {
  for (let removed = 0; ;) {
    const found = await engine.read(() => expiredBy(nowMs));
    for (const { book_id: bookId, import_id: id } of found) {
      if (signal?.aborted === true) return removed;
      await removePreview(engine, bookId, id);
      removed += 1;
    }
    if (found.length < foundAtOnce) return removed;
  }
}

/** Previews that somebody works on have more time. */
function expiredBy(nowMs: number) {
  const { book_id, import_id } = importPreviews.columns;
  return rowsAs(
    { book_id, import_id },
    sql`SELECT book_id, import_id FROM import_previews
      WHERE expires_at_ms <= ${nowMs} AND worker_until_ms <= ${nowMs}
      ORDER BY expires_at_ms, book_id, import_id LIMIT ${foundAtOnce}`,
  );
}

/**
 * Says that nobody works on any preview. Call it when the only server of a database starts: what an earlier one was
 * doing did not happen.
 */
export function* releasePreviews(): Steps<void> {
  yield* updateUnlogged(importPreviews, { status: 'reading' }, { worker_until_ms: 0 });
  yield* updateUnlogged(importPreviews, { status: 'committing' }, { worker_until_ms: 0 });
}
