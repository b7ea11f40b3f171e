import { changed, ok, refusedWithErrors } from '../../wire/responses.ts';
import { causeOf, neverSame, outside, read } from '../operation.ts';
import type { Operation } from '../operation.ts';

import { importExamples as examples } from './examples.ts';
import * as schema from './schema.ts';
import { importOf, importToWire, listImports } from './records.ts';
import { redoImport, shownConflict, undoImport } from './undo.ts';
import type { UndoneImport } from './undo.ts';

const tag = 'imports';
/** Most conflicts in a response. */
const mostShown = 1000;
const one = { path: '/coffer/imports/{id}', tag, params: schema.ImportPath } as const;

const conflictOf = (samples: Parameters<typeof refusedWithErrors>[2]) => ({
  ...refusedWithErrors(
    409,
    'Records were changed since; `errors` names each with its column, up to 1000. Nothing was undone. Or an equal ' +
      'request with the same `Idempotency-Key` is still under way; then there is a `Retry-After` header.',
    samples,
  ),
  optionalHeaders: ['Retry-After'] as const,
});

const undoDeclaration = {
  ...one,
  path: '/coffer/imports/{id}/undo',
  id: 'undoImport',
  summary: 'Undo an import',
  description:
    'Removes what the import created, and restores what it changed. Balances of accounts move back. ' +
    'The import stays in the list, and its file can be imported again.',
  query: schema.UndoQuery,
  response: changed(schema.ImportUndo, 'The import.', examples.undone),
  refusals: { 409: conflictOf(examples.conflict) },
} as const;

const redoDeclaration = {
  ...one,
  path: '/coffer/imports/{id}/redo',
  id: 'redoImport',
  summary: 'Undo the undo of an import',
  description: 'Restores what the undo removed, with the same ids.',
  response: changed(schema.ImportUndo, 'The import.', { whole: examples.undone.whole }),
  refusals: { 409: conflictOf(examples.redoConflict) },
} as const;

/** The operations of imports. */
export const importRoutes: readonly Operation[] = [
  read(
    {
      ...{ path: '/coffer/imports', tag, id: 'getAllImports', summary: 'List imports' },
      description: 'Returns the imports of the book, the newest first.',
      query: schema.ImportQuery,
      response: ok(schema.ImportList, 'The imports.', examples.list),
    },
    function* ({ bookId, query: { limit, offset } }) {
      const rows = yield* listImports(bookId, { limit: limit + 1, offset });
      return { imports: rows.slice(0, limit).map(importToWire), has_more: rows.length > limit };
    },
    neverSame,
  ),
  read(
    {
      ...{ ...one, id: 'getImportById', summary: 'Get an import' },
      response: ok(schema.ImportRecord, 'The import.', examples.one),
    },
    function* ({ bookId, params }) {
      return importToWire(yield* importOf(bookId, params.id));
    },
    neverSame,
  ),
  outside('POST', undoDeclaration, async (request, engine) =>
    toWire(
      await undoImport(
        engine,
        causeOf(undoDeclaration, request),
        request.params.id,
        request.query.conflicts,
      ),
    ),
  ),
  outside('POST', redoDeclaration, async (request, engine) =>
    toWire(await redoImport(engine, causeOf(redoDeclaration, request), request.params.id)),
  ),
];

function toWire({ row, conflicts }: UndoneImport): schema.ImportUndo {
  const shown = conflicts.slice(0, mostShown).map(shownConflict);
  return { import: importToWire(row), conflicts: shown };
}
