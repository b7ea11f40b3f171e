import sql from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import { originOf, undoneBy } from '../../book/undone.ts';
import { updateUnlogged } from '../../book/unlogged.ts';
import type { Steps } from '../../db/engine.ts';
import { find, rowAs } from '../../db/rows.ts';
import { integer } from '../../db/table.ts';
import type { Row } from '../../db/table.ts';
import { imports } from '../../db/tables/tables.ts';

/** An import that a version has made, undone or redone. */
export interface ImportOfVersion {
  readonly row: Row<typeof imports>;
  /** What an undo of the version does with the import. */
  readonly kind: 'undo' | 'redo';
}

/** Returns the import of a version: it has made the import, undone it, redone it, and so on. Null for other changes. */
export function* importOfVersion(bookId: number, version: number): Steps<ImportOfVersion | null> {
  const origin = yield* originOf(bookId, version);
  if (origin === null) return null;
  const found = yield* rowAs(
    { id: integer },
    sql`SELECT id FROM imports WHERE book_id = ${bookId} AND version = ${origin.version}`,
  );
  if (found === undefined) return null;
  const row = yield* find(imports, { book_id: bookId, id: found.id });
  return { row: row!, kind: origin.undos % 2 === 0 ? 'undo' : 'redo' };
}

/** Notes that a change has undone a version, if an import has to do with it. */
export function* noteUndoneImport({ bookId, version }: Change, undone: number): Steps<void> {
  const of = yield* importOfVersion(bookId, undone);
  if (of === null) return;
  const own = of.row.version!;
  const undoing = (yield* undoneBy(bookId, [own], { version, undoes: undone })).get(own) ?? null;
  // The newest undo has restored, or removed, the newest state.
  const undone_version = undoing !== null && of.kind === 'undo' ? version : undoing;
  yield* updateUnlogged(imports, { book_id: bookId, id: of.row.id }, { undone_version });
}
