import type { components, routes } from '@coffer/client/openapi-types';

/** The records and requests of the API. */
export type Schemas = components['schemas'];

export type Transaction = Schemas['Transaction'];
export type TransactionUpdate = Schemas['TransactionUpdate'];
export type Category = Schemas['Category'];
export type Tag = Schemas['Tag'];
export type ManualAccount = Schemas['ManualAccount'];
export type PlaidAccount = Schemas['PlaidAccount'];
export type ImportRecord = Schemas['ImportRecord'];
export type ImportPreview = Schemas['ImportPreview'];
export type ImportPreviewRow = Schemas['ImportPreviewRow'];
export type ImportOptions = Schemas['ImportOptions'];
export type ImportCommit = Schemas['ImportCommit'];
export type ImportMapping = Schemas['ImportMapping'];
export type HistoryEntry = Schemas['HistoryEntry'];
export type HistoryVersion = Schemas['HistoryVersion'];
export type HistoryRecord = Schemas['HistoryRecord'];
export type BulkChange = Schemas['BulkChange'];
export type BulkOutcome = Schemas['BulkOutcome'];
export type BulkUpdate = Schemas['BulkUpdate'];
export type TransactionChange = Schemas['TransactionChange'];
export type UndoConflict = Schemas['UndoConflict'];

export type AccountHistory = Schemas['AccountHistory'];
export type Payee = Schemas['Payee'];
export type TransactionMonths = Schemas['TransactionMonths'];

/** Who is signed in, and to which book; the members are null when nobody is. */
export type SessionInfo = Schemas['SessionState'];
export type ChangeUndo = Schemas['ChangeUndo'];

/** What GET /coffer/transactions can be filtered by. */
export type TransactionQuery = NonNullable<
  routes['GET /coffer/transactions']['parameters']['query']
>;

/** What GET /coffer/history can be filtered by. */
export type ChangeQuery = NonNullable<routes['GET /coffer/history']['parameters']['query']>;
