import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { columnList, find, rowsAs } from '../../db/rows.ts';
import type { Steps } from '../../db/engine.ts';
import type { Row } from '../../db/table.ts';
import { imports } from '../../db/tables.ts';
import { notFound } from '../../wire/problem.ts';
import type { ImportRecord } from './schema.ts';

export type ImportRow = Row<typeof imports>;

/** Returns a part of the imports of a book, the newest first. */
export function* listImports(
  bookId: number,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Steps<ImportRow[]> {
  return yield* rowsAs(imports.columns, importsBy(bookId, limit, offset));
}

/** The statement for a part of the imports of a book. It reads the index of the book backwards. */
export function importsBy(bookId: number, limit: number, offset: number): Sql {
  return sql`SELECT ${columnList(imports)} FROM imports
    WHERE book_id = ${bookId} AND is_preview = 0 ORDER BY book_id DESC, id DESC LIMIT ${limit} OFFSET ${offset}`;
}

/** Returns an import as in a response. */
export function importToWire(row: ImportRow): ImportRecord {
  const { id, version, undone_version, format, file_name, file_hash, at, actor } = row;
  const { imported, known, replaced, doubtful, skipped, left_out } = row;
  const { accounts_created, categories_created, tags_created, first_date, last_date } = row;
  return {
    ...{ id, version, undone_version, format, file_name, first_date, last_date },
    ...{ imported, known, replaced, doubtful, skipped, left_out },
    ...{ accounts_created, categories_created, tags_created },
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
  const row = yield* find(imports, { book_id: bookId, id });
  if (row === undefined) throw notFound('import', id);
  return row;
}
