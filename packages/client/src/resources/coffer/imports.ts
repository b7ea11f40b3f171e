import type { CallOptions } from '../../sending/options.ts';
import { nothing, objectShape, recordShape } from '../resource.ts';
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

/** What an import of a file would do. */
export type ImportPreview = Schema<'ImportPreview'>;
/** Rows of a preview. */
export type ImportPreviewRows = Schema<'ImportPreviewRows'>;
/** Changed options, and choices for rows. */
export type ImportCommit = Schema<'ImportCommit'>;
/** How to read a file, and its name. */
export type UploadQuery = QueryOf<'previewImport'>;
/** Which rows to list. */
export type RowsQuery = QueryOf<'getImportRows'>;

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
  /**
   * Sends a file of at most 50 MB, and shows what an import of it would do. A large file is read in the background:
   * `get` its id until `preview.status` is not `reading`. ApiError 400: the file or an option is not valid.
   */
  preview(file: Blob, query?: UploadQuery, options?: CallOptions): Promise<ImportPreview>;
  /** Rows of a preview, in the order of the file. */
  rows(id: number, query?: RowsQuery, options?: CallOptions): Promise<ImportPreviewRows>;
  /**
   * Imports a preview. Resolves to the import, or to the preview of a large file, which is imported in the background:
   * `get` its id until `preview` is null. ApiError 409: rows have other verdicts now; nothing is imported.
   */
  commit(
    id: number,
    body?: ImportCommit,
    options?: CallOptions,
  ): Promise<ImportRecord | ImportPreview>;
  /** Deletes a preview. */
  discard(id: number, options?: CallOptions): Promise<void>;
}

const list = objectShape<ImportList>('a list of imports');
const record = recordShape<ImportRecord>('an import');
const undone = objectShape<ImportUndo>('an undone import');

const preview = recordShape<ImportPreview>('a preview of an import');
const rows = objectShape<ImportPreviewRows>('rows of a preview');
const committed = recordShape<ImportRecord | ImportPreview>('an import');

/** The imports of a client; `call` is that of Coffer's own API. */
export function makeImports(call: Call): Imports {
  return {
    list: (query, options) => call(list, ['imports'], { ...options, query }),
    get: (id, options) => call(record, ['imports', { id }], options),
    undo: (id, query, options) =>
      call(undone, ['imports', { id }, 'undo'], { ...options, method: 'POST', query }),
    redo: (id, options) =>
      call(undone, ['imports', { id }, 'redo'], { ...options, method: 'POST' }),
    preview: (file, query, options) => {
      const body = new FormData();
      body.set('file', file);
      return call(preview, ['imports'], { ...options, method: 'POST', query, body });
    },
    rows: (id, query, options) => call(rows, ['imports', { id }, 'rows'], { ...options, query }),
    commit: (id, body = {}, options) =>
      call(committed, ['imports', { id }, 'commit'], { ...options, method: 'POST', body }),
    discard: (id, options) => call(nothing, ['imports', { id }], { ...options, method: 'DELETE' }),
  };
}
