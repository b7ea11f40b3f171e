import type { TSchema } from 'typebox';
import { BudgetSummary } from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const summaryComponents = {
  BudgetSummary,
} as const satisfies Readonly<Record<string, TSchema>>;
