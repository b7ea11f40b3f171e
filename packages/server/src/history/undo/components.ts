import { BlockedRecord, ChangeUndo, UndoConflict } from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const undoComponents = { ChangeUndo, UndoConflict, BlockedRecord };
