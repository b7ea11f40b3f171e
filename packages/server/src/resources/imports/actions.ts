/*
 * What other rooms and resources use of imports.
 */
export { importToWire, listImports, importOf } from './records.ts';
export type { ImportRow } from './records.ts';
export { conflictText, redoImport, undoImport } from './undo.ts';
export type { UndoMode, UndoneImport } from './undo.ts';
