import type { TSchema } from 'typebox';

/** The schemas of this folder, by their name in the document. */
export const attachmentComponents: Readonly<Record<string, TSchema>> = {};
