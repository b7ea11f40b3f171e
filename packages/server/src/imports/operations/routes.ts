import * as schema from './schema.ts';
import * as previews from './preview-schema.ts';
import {
  Accepted,
  accepted,
  changed,
  ok,
  refusedWithErrors,
  created,
  noContent,
} from '../../operations/responses.ts';
import { context, type Engine, type Steps } from '../../db/engine.ts';
import { shownConflicts } from '../../history/undo/conflicts.ts';
import type { UndoWork } from '../../history/undo/actions.ts';
import { UndoQuery } from '../../history/undo/schema.ts';
import { causeOf, outside, read, type Operation } from '../../operations/operation.ts';
import { workerMs, type ImportService } from './import-service.ts';
import {
  shownPreview,
  createPreview,
  lockPreview,
  optionsOf,
  previewOf,
  rowsOfPreview,
  statusOf,
  removePreview,
  updatePreview,
} from './preview-records.ts';
import type { ProgressOf, PreviewRow } from './preview-records.ts';
import {
  importOf,
  importToWire,
  listImports,
  readVersionOf,
  redoImport,
  undoImport,
} from './records.ts';
import type { UndoneImport } from './records.ts';
import { storable } from '@coffer/core/text';
import { bodyProblem, Problem } from '../../operations/problem.ts';
import type { Upload } from '../../operations/upload.ts';

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
  refusals: { 202: underWay, 409: conflictOf(schema.importConflicts.undo), 410: 'Gone' },
} as const;

const redoDeclaration = {
  ...one,
  size: 'unbounded',
  path: '/coffer/imports/{id}/redo',
  id: 'redoImport',
  summary: 'Undo the undo of an import',
  description: 'Restores what the undo removed, with the same ids.',
  response: changed(schema.ImportUndo, 'The import.'),
  refusals: { 202: underWay, 409: conflictOf(schema.importConflicts.redo), 410: 'Gone' },
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

const examples = previews.previewExamples;
const onePreview = { path: '/coffer/imports/{id}', tag, params: previews.PreviewPath } as const;

const largeFile = refusedWithErrors(413, 'The file is larger than 50 MB.', examples.tooLarge);
const otherType = refusedWithErrors(415, 'The body is compressed.', examples.compressed);

const uploadDeclaration = {
  path: '/coffer/imports',
  tag,
  id: 'previewImport',
  summary: 'Preview an import',
  description:
    'Reads a file of at most 50 MB, and shows what an import of it would do. Nothing is imported. The body is the file, ' +
    'of any media type, or a form with the field `file`. A large file is read in the background: see `status`. Options ' +
    'that the request does not give are those of the last import of such a file, by its columns: see `remembered`.',
  query: previews.UploadQuery,
  body: previews.ImportUpload,
  upload: true,
  response: created(previews.ImportPreview, 'The preview.'),
  refusals: {
    202: accepted(previews.ImportPreview, 'The file is being read.'),
    413: largeFile,
    415: otherType,
  },
} as const;

const commitDeclaration = {
  ...onePreview,
  path: '/coffer/imports/{id}/commit',
  id: 'commitImport',
  summary: 'Import a preview',
  description:
    'Imports the file, all or nothing. Changed options are used to read it again, and all are remembered for files with ' +
    'such columns. If a row has another verdict than in ' +
    'the preview, nothing is imported, and the preview is updated.',
  body: previews.CommitBody,
  isBodyOptional: true,
  bodyExamples: examples.commit,
  response: changed(schema.ImportRecord, 'The import.'),
  refusals: {
    202: accepted(previews.ImportPreview, 'The file is being imported.'),
    409: {
      ...refusedWithErrors(
        409,
        'Rows have other verdicts now; `errors` names them. Or somebody else works on the preview, or an equal request ' +
          'with the same `Idempotency-Key` is still under way; then there is a `Retry-After` header. Nothing was imported.',
        examples.conflict,
      ),
      optionalHeaders: ['Retry-After'],
    },
  },
} as const;

const discardDeclaration = {
  ...onePreview,
  id: 'discardImport',
  summary: 'Discard a preview',
  description:
    'Deletes the preview and its file. An import that has happened can be undone instead.',
  response: noContent('The preview is deleted.'),
  refusals: {
    409: refusedWithErrors(409, 'The file is being read or imported.', examples.underWay),
  },
} as const;

/** Returns the operations of previews. */
function previewRoutes(service: ImportService): readonly Operation[] {
  const progressOf: ProgressOf = (bookId, id) => service.progressOf(bookId, id);
  return [
    outside('POST', uploadDeclaration, async (request, engine) => {
      const { bookId } = request;
      const { file } = request.body as unknown as Upload;
      if (file === null)
        throw bodyProblem({ errMsg: 'The form has no field file', invalid_property: 'file' });
      const { file_name: name = file.name, ...options } = request.query as previews.UploadQuery;
      const { actor } = causeOf(uploadDeclaration, request);
      const { bytes, hash } = file;
      const fileName = name === null ? null : storable(name).slice(0, 255);
      const id = await engine.write(function* () {
        const { nowMs } = yield* context();
        const times = { nowMs, workerUntilMs: nowMs + workerMs };
        return yield* createPreview({ bookId, actor, fileName, hash, bytes, options, ...times });
      });
      const isDone = await service.read(engine, {
        bookId,
        id,
        actor,
        bytes,
        options,
        caller: request.identity,
        file: file.take(),
      });
      const shown = await engine.read(() => shownPreview(bookId, id, progressOf));
      return isDone ? shown : new Accepted(shown);
    }),
    outside('POST', commitDeclaration, async (request, engine) => {
      const { bookId, params } = request;
      const { rows: choices = [], ...changes } = request.body as previews.CommitBody;
      const claimed = await claim(engine, bookId, params.id, progressOf);
      const { actor, operation } = causeOf(commitDeclaration, request);
      const { bytes, entry_count: entryCount } = claimed;
      const options = changedOptions(optionsOf(claimed), changes);
      const caller = request.identity;
      const of = { bookId, id: params.id, actor, caller, operation, bytes, entryCount };
      const isDone = await service.commit(engine, {
        ...of,
        options,
        choices,
        isChanged: Object.keys(changes).length > 0,
        without: removedOptions(changes),
      });
      if (isDone) return importToWire(await engine.read(() => importOf(bookId, params.id)));
      return new Accepted(await engine.read(() => shownPreview(bookId, params.id, progressOf)));
    }),
    outside('DELETE', discardDeclaration, async ({ bookId, params: { id } }, engine) => {
      await engine.read(function* () {
        const { nowMs } = yield* context();
        refuseUnderWay(yield* previewOf(bookId, id), progressOf, nowMs);
      });
      await removePreview(engine, bookId, id);
    }),
    read(
      {
        ...onePreview,
        path: '/coffer/imports/{id}/rows',
        id: 'getImportRows',
        summary: 'List the rows of a preview',
        description: 'Returns the rows of the file in its order, with what an import would do.',
        query: previews.RowsQuery,
        response: ok(previews.ImportPreviewRows, 'The rows.'),
      },
      function* ({ bookId, params, query: { limit, offset, verdict } }) {
        const row = yield* previewOf(bookId, params.id);
        return yield* rowsOfPreview(row, {
          limit,
          offset,
          ...(verdict !== undefined && { verdict }),
        });
      },
      { isVolatile: true },
    ),
  ];
}

/** Marks a preview as being imported, so that others leave it alone. Throws a Problem if it cannot be. */
function claim(
  engine: Engine,
  bookId: number,
  id: number,
  progressOf: ProgressOf,
): Promise<PreviewRow> {
  return engine.write(function* (): Steps<PreviewRow> {
    const { is_preview } = yield* importOf(bookId, id);
    if (!is_preview) throw conflict(`Import ${id} has happened already`);
    const row = yield* lockPreview(bookId, id);
    const { nowMs } = yield* context();
    refuseUnderWay(row, progressOf, nowMs);
    const status = statusOf(row, false, nowMs);
    if (status === 'expired') throw conflict(`Preview ${id} has expired: send the file again`);
    if (status === 'failed' && row.status === 'reading')
      throw conflict(`The file of preview ${id} is not complete: send it again`);
    yield* updatePreview(bookId, id, { status: 'committing', worker_until_ms: nowMs + workerMs });
    return row;
  });
}

function refuseUnderWay(row: PreviewRow, progressOf: ProgressOf, nowMs: number): void {
  const { book_id, import_id: id } = row;
  const status = statusOf(row, progressOf(book_id, id) !== null, nowMs);
  if (status === 'reading') throw conflict(`The file of preview ${id} is still being read`);
  if (status === 'committing') throw conflict(`Preview ${id} is being imported`);
}

function changedOptions(
  options: previews.PreviewOptions,
  changes: Omit<previews.CommitBody, 'rows'>,
): previews.PreviewOptions {
  const all = Object.entries({ ...options, ...changes });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

function removedOptions(
  changes: Omit<previews.CommitBody, 'rows'>,
): (keyof previews.PreviewOptions)[] {
  const names = Object.keys(changes) as (keyof previews.PreviewOptions)[];
  return names.filter((name) => changes[name] === null);
}

function conflict(errMsg: string): Problem {
  return new Problem('importConflict', { details: [{ errMsg }] });
}
