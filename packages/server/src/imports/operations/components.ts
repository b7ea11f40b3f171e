import { previewComponents } from './preview-schema.ts';
import { ImportList, ImportRecord, ImportUndo } from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const importComponents = {
  ImportList,
  ImportRecord,
  ImportUndo,
  ...previewComponents,
};
