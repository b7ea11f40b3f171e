import type { TSchema } from 'typebox';

/** The schemas of this folder, by their name in the document. */
export const ruleComponents: Readonly<Record<string, TSchema>> = {};
