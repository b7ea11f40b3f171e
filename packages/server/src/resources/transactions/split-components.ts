import type { TSchema } from 'typebox';

/** The schemas of the operations that split transactions, by their name in the document. */
export const splitComponents: Readonly<Record<string, TSchema>> = {};
