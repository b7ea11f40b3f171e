import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { columnList, rowAs, rowsAs } from '../../db/rows.ts';
import type { Steps } from '../../db/engine.ts';
import { flag } from '../../db/table.ts';
import type { Row } from '../../db/table.ts';
import { imports } from '../../db/tables/tables.ts';
import { notFound } from '../../operations/problem.ts';
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
