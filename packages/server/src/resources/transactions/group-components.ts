import type { TSchema } from 'typebox';

/** The schemas of the operations that group transactions, by their name in the document. */
export const groupComponents: Readonly<Record<string, TSchema>> = {};
