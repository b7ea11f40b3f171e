import type { CallOptions } from '../../sending/options.ts';
import { objectShape } from '../resource.ts';
import type { Call, QueryOf, Schema } from '../resource.ts';
import type { UndoQuery } from './imports.ts';

/** A page of changes, the newest first. */
export type HistoryList = Schema<'HistoryList'>;
/** A change of the book, with a part of its records. */
export type HistoryVersion = Schema<'HistoryVersion'>;
/** A page of the changes of a transaction, the newest first. */
export type TransactionHistory = Schema<'TransactionHistory'>;
/** Which changes to list. */
export type HistoryQuery = QueryOf<'getHistory'>;
/** Which records of a change to list. */
export type VersionQuery = QueryOf<'getHistoryVersion'>;
/** Which changes of a transaction to list. */
export type TransactionHistoryQuery = QueryOf<'getTransactionHistory'>;

/** The undo of a change. */
export type ChangeUndo = Schema<'ChangeUndo'>;

/** Methods of the history. All reject with an error of this library, or with the reason of an aborted signal. */
export interface History {
  /** Changes of the book, the newest first. For the next page, send the last `version` as `before`. */
  list(query?: HistoryQuery, options?: CallOptions): Promise<HistoryList>;
  /** A change, with its records before and after. ApiError 404: it does not exist. ApiError 410: it was pruned. */
  get(version: number, query?: VersionQuery, options?: CallOptions): Promise<HistoryVersion>;
  /** Changes of a transaction, also of a deleted one. ApiError 404: the book never had it. */
  ofTransaction(
    id: number,
    query?: TransactionHistoryQuery,
    options?: CallOptions,
  ): Promise<TransactionHistory>;
  /**
   * Undoes a change of any kind, as a new change. To redo, undo its `version`. ApiError 404 or 410: the book does not
   * have the change, or no longer. ApiError 409: records were changed since, or it is undone already; nothing is undone
   * then.
   */
  undoChange(version: number, query?: UndoQuery, options?: CallOptions): Promise<ChangeUndo>;
  /**
   * Undoes the last change by the same access token that is not undone, as a new change. ApiError 404: there is none.
   * ApiError 409: records were changed since; nothing is undone then.
   */
  undoLastChange(query?: UndoQuery, options?: CallOptions): Promise<ChangeUndo>;
}

const list = objectShape<HistoryList>('a list of changes');
const version = objectShape<HistoryVersion>('a change');
const undone = objectShape<ChangeUndo>('the undo of a change');
const ofTransaction = objectShape<TransactionHistory>('the history of a transaction');

/** The history of a client; `call` is that of Coffer's own API. */
export function makeHistory(call: Call): History {
  return {
    list: (query, options) => call(list, ['history'], { ...options, query }),
    get: (id, query, options) => call(version, ['history', { id }], { ...options, query }),
    ofTransaction: (id, query, options) =>
      call(ofTransaction, ['transactions', { id }, 'history'], { ...options, query }),
    undoChange: (id, query, options) =>
      call(undone, ['history', { id }, 'undo'], { ...options, method: 'POST', query }),
    undoLastChange: (query, options) =>
      call(undone, ['undo'], { ...options, method: 'POST', query }),
  };
}
