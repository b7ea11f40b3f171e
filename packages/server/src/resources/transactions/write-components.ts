import type { TSchema } from 'typebox';

/** The schemas of the operations that write transactions, by their name in the document. */
export const transactionWriteComponents: Readonly<Record<string, TSchema>> = {};
