import type { TSchema } from 'typebox';

/** The schemas of this folder, by their name in the document. */
export const plaidAccountComponents: Readonly<Record<string, TSchema>> = {};
