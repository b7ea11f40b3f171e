import { hasToWait, instantOf } from '@coffer/core/dates';
import { context } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { workerMs } from './import-service.ts';
import type { ImportProgress } from './import-service.ts';
import { previewOf, previewRows, reportOf, optionsOf } from './preview-records.ts';
import type { PreviewRow, RowRange } from './preview-records.ts';
import { firstRows } from './preview-schema.ts';
import type { ImportPreview, ImportPreviewRow, PreviewReport } from './preview-schema.ts';
import { importOf } from './records.ts';

/** Who works on a preview in this process, and how far it is. */
export type ProgressOf = (bookId: number, id: number) => ImportProgress | null;

/** Returns a preview as in a response, with its first rows. Throws a Problem if there is none. */
export function* shownPreview(
  bookId: number,
  id: number,
  progressOf: ProgressOf,
): Steps<ImportPreview> {
  const { nowMs } = yield* context();
  const row = yield* previewOf(bookId, id);
  const record = yield* importOf(bookId, id);
  const page = yield* pageOfRows(bookId, id, { limit: firstRows, offset: 0 });
  const progress = progressOf(bookId, id);
  const report = reportOf(row) ?? nothingKnown;
  const status = statusOf(row, progress !== null, nowMs);
  const isStopped = status === 'failed' && row.status === 'reading';
  return {
    id,
    status,
    progress,
    options: optionsOf(row),
    ...report,
    ...page,
    ...(isStopped && { errors: [{ errMsg: 'The server stopped: send the file again' }] }),
    file_name: record.file_name,
    file_sha256: record.file_hash ?? '',
    created_at: record.at,
    created_by: record.actor,
    file_bytes: row.bytes,
    expires_at: instantOf(row.expires_at_ms),
  };
}

/** Returns rows of a preview, and whether there are more. */
export function* pageOfRows(
  bookId: number,
  id: number,
  range: RowRange,
): Steps<{ rows: ImportPreviewRow[]; has_more: boolean }> {
  const { limit } = range;
  const found = yield* previewRows(bookId, id, { ...range, limit: limit + 1 });
  return { rows: found.slice(0, limit), has_more: found.length > limit };
}

/** Returns the state of a preview. A node that died in the middle of its work left another one in the database. */
export function statusOf(
  row: PreviewRow,
  isUnderWay: boolean,
  nowMs: number,
): ImportPreview['status'] {
  const { status, expires_at_ms, worker_until_ms } = row;
  const isLeft = !isUnderWay && !hasToWait(worker_until_ms, nowMs, workerMs);
  if (status === 'reading') return isLeft ? 'failed' : 'reading';
  if (status === 'committing' && !isLeft) return 'committing';
  if (expires_at_ms <= nowMs) return 'expired';
  if (status !== 'committing') return status;
  return (reportOf(row)?.format ?? null) === null ? 'failed' : 'ready';
}

/** The report of a file of which nothing is known. */
export const nothingKnown: PreviewReport = {
  format: null,
  mapping: null,
  remembered: {},
  warnings: [],
  left_out: [],
  errors: [],
  bad_rows: { count: 0, problems: [] },
  verdicts: { new: 0, known: 0, replaces: 0, doubtful: 0, bad: 0 },
  imported: 0,
  doubtful_imported: 0,
  sums: [],
  accounts: [],
  first_date: null,
  last_date: null,
  accounts_created: 0,
  categories_created: 0,
  tags_created: 0,
  without_rate: 0,
};
