import { Accepted, accepted, changed, ok, refusedWithErrors } from '../../operations/responses.ts';
import type { Engine } from '../../db/engine.ts';
import { shownConflicts } from '../../history/undo/conflicts.ts';
import type { UndoWork } from '../../history/undo/actions.ts';
import { UndoQuery } from '../../history/undo/schema.ts';
import { causeOf, outside, read } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import type { ImportService } from './import-service.ts';
import { shownPreview } from './preview-records.ts';
import type { ProgressOf } from './preview-records.ts';
import { previewRoutes } from './preview-routes.ts';
import {
  importOf,
  importToWire,
  listImports,
  readVersionOf,
  redoImport,
  undoImport,
} from './records.ts';
import type { UndoneImport } from './records.ts';
import * as schema from './schema.ts';
import { importConflicts } from './schema.ts';

const tag = 'imports';
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

const underWay = accepted(
  schema.ImportUndo,
  'The import is large: it is undone in the background, or the undo is. See `work` of the import.',
);

const undoDeclaration = {
  ...one,
  size: 'unbounded',
  path: '/coffer/imports/{id}/undo',
  id: 'undoImport',
  summary: 'Undo an import',
  description:
    'Removes what the import created, and restores what it changed. Balances of accounts move back. ' +
    'The import stays in the list, and its file can be imported again.',
  query: UndoQuery,
  response: changed(schema.ImportUndo, 'The import.'),
  refusals: { 202: underWay, 409: conflictOf(importConflicts.undo), 410: 'Gone' },
} as const;

const redoDeclaration = {
  ...one,
  size: 'unbounded',
  path: '/coffer/imports/{id}/redo',
  id: 'redoImport',
  summary: 'Undo the undo of an import',
  description: 'Restores what the undo removed, with the same ids.',
  response: changed(schema.ImportUndo, 'The import.'),
  refusals: { 202: underWay, 409: conflictOf(importConflicts.redo), 410: 'Gone' },
} as const;

/** Returns the operations of imports. */
export function importRoutes({
  imports: service,
}: {
  readonly imports: ImportService;
}): readonly Operation[] {
  return [...recordRoutes(service), ...previewRoutes(service)];
}

const recordRoutes = (service: ImportService): readonly Operation[] => [
  read(
    {
      path: '/coffer/imports',
      tag,
      id: 'getAllImports',
      summary: 'List imports',
      description: 'Returns the imports of the book, or its previews, the newest first.',
      query: schema.ImportQuery,
      response: ok(schema.ImportList, 'The imports.'),
    },
    function* ({ bookId, query: { limit, offset, is_preview: isPreview } }) {
      const rows = yield* listImports(bookId, { limit: limit + 1, offset, isPreview });
      return { imports: rows.slice(0, limit).map(importToWire), has_more: rows.length > limit };
    },
    { isVolatile: true },
  ),
  read(
    {
      ...one,
      id: 'getImportById',
      summary: 'Get an import',
      response: ok(schema.ImportRecord, 'The import.'),
    },
    function* ({ bookId, params }) {
      const row = yield* importOf(bookId, params.id);
      if (!row.is_preview) return { ...importToWire(row), work: service.undoOf(bookId, params.id) };
      const progressOf: ProgressOf = (book, id) => service.progressOf(book, id);
      const preview = yield* shownPreview(bookId, params.id, progressOf);
      return { ...importToWire(row), preview };
    },
    { isVolatile: true },
  ),
  outside(
    'POST',
    undoDeclaration,
    async (request, engine) => {
      const cause = causeOf(undoDeclaration, request);
      const { params, query } = request;
      return toWire(await undoImport(engine, cause, params.id, query.conflicts));
    },
    {
      begin: (request, engine) => {
        const { params, query } = request;
        const cause = causeOf(undoDeclaration, request);
        const of = { ...cause, id: params.id, kind: 'undo', mode: query.conflicts } as const;
        return inBackground(engine, service, of);
      },
    },
  ),
  outside(
    'POST',
    redoDeclaration,
    async (request, engine) =>
      toWire(await redoImport(engine, causeOf(redoDeclaration, request), request.params.id)),
    {
      begin: (request, engine) => {
        const cause = causeOf(redoDeclaration, request);
        const of = { ...cause, id: request.params.id, kind: 'redo', mode: 'refuse' } as const;
        return inBackground(engine, service, of);
      },
    },
  ),
];

/** Begins to undo a large import. Returns null for another one; throws a Problem if it cannot be undone. */
async function inBackground(
  engine: Engine,
  service: ImportService,
  work: Omit<UndoWork, 'version'>,
): Promise<Accepted | null> {
  const { bookId, id, kind } = work;
  const { row, version } = await engine.read(function* () {
    const which = kind === 'undo' ? 'version' : 'undone_version';
    return {
      row: yield* importOf(bookId, id),
      version: yield* readVersionOf(bookId, id, which),
    };
  });
  if (!service.undo(engine, { ...work, version }, row)) return null;
  const record = { ...importToWire(row), work: service.undoOf(bookId, id) };
  return new Accepted({ import: record, conflicts: [] });
}

function toWire({ row, conflicts }: UndoneImport): schema.ImportUndo {
  return { import: importToWire(row), conflicts: shownConflicts(conflicts) };
}
