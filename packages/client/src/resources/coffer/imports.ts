import type { CallOptions } from '../../options.ts';
import { objectShape, recordShape } from '../resource.ts';
import type { Call, QueryOf, Schema } from '../resource.ts';

/** One import of a file. */
export type ImportRecord = Schema<'ImportRecord'>;
/** A page of imports, the newest first. */
export type ImportList = Schema<'ImportList'>;
/** An import after an undo, and why records were kept. */
export type ImportUndo = Schema<'ImportUndo'>;
/** Which imports to list. */
export type ImportQuery = QueryOf<'getAllImports'>;
/** What an undo does with records that were changed since the import. */
export type UndoQuery = QueryOf<'undoImport'>;

/** Methods of imports. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Imports {
  /** The imports of the book, the newest first. */
  list(query?: ImportQuery, options?: CallOptions): Promise<ImportList>;
  /** One import. ApiError 404: it does not exist. */
  get(id: number, options?: CallOptions): Promise<ImportRecord>;
  /**
   * Removes what an import created, and restores what it changed. ApiError 400: it is undone already, or created
   * nothing. ApiError 409: records were changed since; nothing is undone then.
   */
  undo(id: number, query?: UndoQuery, options?: CallOptions): Promise<ImportUndo>;
  /** Restores what an undo removed. ApiError 400: the import is not undone. ApiError 409 as for `undo`. */
  redo(id: number, options?: CallOptions): Promise<ImportUndo>;
}

const list = objectShape<ImportList>('a list of imports');
const record = recordShape<ImportRecord>('an import');
const undone = objectShape<ImportUndo>('an undone import');

/** The imports of a client; `call` is that of Coffer's own API. */
export function makeImports(call: Call): Imports {
  return {
    list: (query, options) => call(list, ['imports'], { ...options, query }),
    get: (id, options) => call(record, ['imports', { id }], options),
    undo: (id, query, options) =>
      call(undone, ['imports', { id }, 'undo'], { ...options, method: 'POST', query }),
    redo: (id, options) =>
      call(undone, ['imports', { id }, 'redo'], { ...options, method: 'POST' }),
  };
}
