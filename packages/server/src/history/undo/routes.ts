import { Accepted, accepted, changed, refusedWithErrors } from '../../operations/responses.ts';
import type { Cause } from '../../book/change.ts';
import type { Engine } from '../../db/engine.ts';
import { causeOf, outside, type Operation } from '../../operations/operation.ts';
import {
  checkUndo,
  importOfVersion,
  lastOwnChange,
  undoChange,
  undoLastChange,
} from './actions.ts';
import type { LargeUndos, UndoMode, UndoneChange } from './actions.ts';
import { shownConflicts } from './conflicts.ts';
import { ChangeUndo, undoConflicts, UndoQuery, VersionPath } from './schema.ts';

const shared = {
  tag: 'history',
  size: 'unbounded',
  query: UndoQuery,
  response: changed(ChangeUndo, 'The undo. It is a new change of the book.'),
} as const;

const conflictOf = (samples: Parameters<typeof refusedWithErrors>[2]) => ({
  ...refusedWithErrors(
    409,
    'Records were changed since; `errors` names each with its column, up to 100. Nothing was undone. Or the change is ' +
      'undone already; then `undone_by` is the version that undid it. Or an equal request with the same ' +
      '`Idempotency-Key` is still under way; then there is a `Retry-After` header.',
    samples,
  ),
  optionalHeaders: ['Retry-After'] as const,
});

const { changed: changedSince } = undoConflicts;

const refusals = {
  202: accepted(
    ChangeUndo,
    'The change is a large import: it is undone in the background. See `work` of the import.',
  ),
} as const;

const anyDeclaration = {
  ...shared,
  path: '/coffer/history/{version}/undo',
  id: 'undoChange',
  summary: 'Undo a change',
  description:
    'Takes back a change of any kind, as a new change: records that it deleted come back with their ids and files, ' +
    'values that it changed get their earlier values, and records that it created are deleted. Balances move back. An ' +
    'undo can be undone, too.',
  params: VersionPath,
  refusals: { ...refusals, 409: conflictOf(undoConflicts), 410: 'Gone' },
} as const;

const lastDeclaration = {
  ...shared,
  path: '/coffer/undo',
  id: 'undoLastChange',
  summary: 'Undo the last change',
  description:
    'Takes back the last change that was made with the access token of the request. Undos do not count, nor do changes ' +
    'that are undone or that have no effect left, so each request goes one change further back. To redo, undo the ' +
    '`version` of the response.',
  refusals: { ...refusals, 404: 'NotFound', 409: conflictOf({ changed: changedSince }) },
} as const;

/** Returns the operations that undo changes. */
export function undoRoutes({ imports }: { readonly imports: LargeUndos }): readonly Operation[] {
  const inBackground = async (
    engine: Engine,
    { bookId, actor, operation }: Cause,
    version: number,
    mode: UndoMode,
  ): Promise<Accepted | null> => {
    const found = await engine.read(() => importOfVersion(bookId, version));
    if (found === null) return null;
    const work = { bookId, id: found.row.id, actor, operation, kind: found.kind, version, mode };
    if (!imports.undo(engine, work, found.row)) return null;
    return new Accepted({ version: null, undoes: version, conflicts: [] });
  };
  return [
    outside(
      'POST',
      anyDeclaration,
      async (request, engine) => {
        const { params, query } = request;
        const cause = causeOf(anyDeclaration, request);
        return toWire(await undoChange(engine, cause, params.version, { mode: query.conflicts }));
      },
      {
        begin: async (request, engine) => {
          const { params, query } = request;
          const cause = causeOf(anyDeclaration, request);
          await engine.read(() => checkUndo(cause.bookId, params.version));
          return inBackground(engine, cause, params.version, query.conflicts);
        },
      },
    ),
    outside(
      'POST',
      lastDeclaration,
      async (request, engine) => {
        const cause = causeOf(lastDeclaration, request);
        return toWire(await undoLastChange(engine, cause, { mode: request.query.conflicts }));
      },
      {
        begin: async (request, engine) => {
          const cause = causeOf(lastDeclaration, request);
          const last = await engine.read(() => lastOwnChange(cause.bookId, cause.actor));
          return last === null ? null : inBackground(engine, cause, last, request.query.conflicts);
        },
      },
    ),
  ];
}

function toWire({ version, undoes, conflicts }: UndoneChange): ChangeUndo {
  return { version, undoes, conflicts: shownConflicts(conflicts) };
}
