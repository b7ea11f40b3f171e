import sql, { type Sql } from 'sql-template-tag';
import type { Cause } from '../../book/change.ts';
import { prunedVersion } from '../../book/log.ts';
import type { UndoConflict } from '../../book/undo-conflicts.ts';
import type { Steps, Engine } from '../../db/engine.ts';
import { columnList, rowAs, rowsAs } from '../../db/rows.ts';
import { flag, type Row } from '../../db/table.ts';
import { imports } from '../../db/tables/tables.ts';
import { undoChange, type UndoMode } from '../../history/undo/actions.ts';
import { notFound, Problem, refusePruned } from '../../operations/problem.ts';
import type { ImportRecord } from './schema.ts';

/** An import, and whether the change log no longer has its version; if it is undone, that of its undo. */
export type ImportRow = Row<typeof imports> & { readonly is_pruned: boolean };

const shape = { ...imports.columns, is_pruned: flag };
const columns = sql`${columnList(imports)}, CASE WHEN COALESCE(undone_version, version) <=
  (SELECT pruned_version FROM books WHERE books.id = imports.book_id) THEN 1 ELSE 0 END AS is_pruned`;

/** A part of a list of imports. */
export interface ImportRange {
  readonly limit: number;
  readonly offset: number;
  /** Previews instead of imports that have happened. Default: false. */
  readonly isPreview?: boolean;
}

/** Returns a part of the imports of a book, the newest first. */
export function* listImports(bookId: number, range: ImportRange): Steps<ImportRow[]> {
  return yield* rowsAs(shape, importsBy(bookId, range));
}

/** The statement for a part of the imports of a book. It reads the index of the book backwards. */
export function importsBy(bookId: number, range: ImportRange): Sql {
  const { limit, offset, isPreview = false } = range;
  return sql`SELECT ${columns} FROM imports
    WHERE book_id = ${bookId} AND is_preview = ${isPreview ? 1 : 0}
    ORDER BY book_id DESC, id DESC LIMIT ${limit} OFFSET ${offset}`;
}

/** Returns an import as in a response. */
export function importToWire(row: ImportRow): ImportRecord {
  const { id, version, undone_version, is_pruned, format, file_name, file_hash, at, actor } = row;
  const { imported, known, replaced, doubtful, skipped, left_out } = row;
  const { accounts_created, categories_created, tags_created, first_date, last_date } = row;
  return {
    id,
    version,
    undone_version,
    is_pruned,
    format,
    file_name,
    first_date,
    last_date,
    imported,
    known,
    replaced,
    doubtful,
    skipped,
    left_out,
    accounts_created,
    categories_created,
    tags_created,
    file_sha256: file_hash,
    created_at: at,
    created_by: actor,
    status: statusOf(row),
    work: null,
    preview: null,
  };
}

function statusOf({ is_preview, undone_version }: ImportRow): ImportRecord['status'] {
  if (is_preview) return 'preview';
  return undone_version === null ? 'imported' : 'undone';
}

/** Returns an import of a book. Throws a Problem if there is none. */
export function* importOf(bookId: number, id: number): Steps<ImportRow> {
  const row = yield* rowAs(
    shape,
    sql`SELECT ${columns} FROM imports WHERE book_id = ${bookId} AND id = ${id}`,
  );
  if (row === undefined) throw notFound('import', id);
  return row;
}

/** An import after an undo, and why records were kept. */
export interface UndoneImport {
  readonly row: ImportRow;
  readonly conflicts: readonly UndoConflict[];
}

/**
 * Undoes an import: removes what it created, and restores what it changed. The import stays in the list, and its file
 * can be imported again.
 *
 * Rejects with a Problem if there is no such import, if it is undone already or created nothing, if its change was
 * pruned, or if records were changed since; with the mode `skip` such records are kept, with those that they need.
 */
export async function undoImport(
  engine: Engine,
  cause: Cause,
  id: number,
  mode: UndoMode,
  which: WhichVersion = 'version',
): Promise<UndoneImport> {
  const { bookId } = cause;
  const read = (): Steps<number> => readVersionOf(bookId, id, which);
  const version = await engine.read(read);
  const check = function* (): Steps<void> {
    // Another undo may have been faster.
    if ((yield* read()) !== version) throw stateProblem(id, 'was undone again');
  };
  const { conflicts } = await undoChange(engine, cause, version, { mode, check }).catch(
    (error: unknown) => {
      if (error instanceof Problem && error.kind === 'undone')
        throw stateProblem(id, 'has nothing left that could be undone');
      throw error;
    },
  );
  return { row: await engine.read(() => importOf(bookId, id)), conflicts };
}

/** Undoes the undo of an import. Rejects with a Problem as {@link undoImport} does. */
export function redoImport(engine: Engine, cause: Cause, id: number): Promise<UndoneImport> {
  return undoImport(engine, cause, id, 'refuse', 'undone_version');
}

type WhichVersion = 'version' | 'undone_version';

/**
 * Returns the version to undo: that of an import, or that of its undo. Throws a Problem if there is none, or if it was
 * pruned.
 */
export function* readVersionOf(bookId: number, id: number, which: WhichVersion): Steps<number> {
  const version = versionOf(yield* importOf(bookId, id), which);
  refusePruned(version, yield* prunedVersion(bookId));
  return version;
}

function versionOf(row: ImportRow, which: WhichVersion): number {
  const { id, version, undone_version } = row;
  if (version === null) throw stateProblem(id, 'created nothing that could be undone');
  if (which === 'version' && undone_version !== null) throw stateProblem(id, 'is undone already');
  if (which === 'undone_version' && undone_version === null)
    throw stateProblem(id, 'is not undone');
  return row[which]!;
}

function stateProblem(id: number, state: string): Problem {
  return new Problem('invalidRequest', { details: [{ errMsg: `Import ${id} ${state}`, id }] });
}
