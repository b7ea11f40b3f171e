import { ChangeList, RecordChange } from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const changeComponents = { ChangeList, RecordChange };
