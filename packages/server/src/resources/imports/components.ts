import { previewComponents } from './preview-schema.ts';
import { ImportList, ImportRecord, ImportUndo, UndoConflict } from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const importComponents = {
  ...{ ImportList, ImportRecord, ImportUndo, UndoConflict },
  ...previewComponents,
};
