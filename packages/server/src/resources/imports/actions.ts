import { select } from '../../db/rows.ts';
import type { Steps } from '../../db/engine.ts';
import type { Row } from '../../db/table.ts';
import { imports } from '../../db/tables.ts';
import type { ImportRecord } from './schema.ts';

export { redoImport, undoImport } from './undo.ts';
export type { UndoMode, UndoneImport } from './undo.ts';

export type ImportRow = Row<typeof imports>;

/** Returns the imports of a book, the newest first. */
export function* listImports(
  bookId: number,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Steps<ImportRow[]> {
  // A book has few imports, compared with its transactions.
  const all = yield* select(imports, { book_id: bookId });
  return all.toReversed().slice(offset, offset + limit);
}

/** Returns an import as in a response. */
export function importToWire(row: ImportRow): ImportRecord {
  const { book_id: _, file_hash, at, actor, ...same } = row;
  return {
    ...same,
    file_sha256: file_hash,
    created_at: at,
    created_by: actor,
    status: row.undone_version === null ? 'imported' : 'undone',
  };
}
