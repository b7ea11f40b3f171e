import type { TSchema } from 'typebox';
import { Budget, BudgetSettings, BudgetSettingsUpdate, BudgetUpsert } from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const budgetComponents = {
  Budget,
  BudgetUpsert,
  BudgetSettings,
  BudgetSettingsUpdate,
} as const satisfies Readonly<Record<string, TSchema>>;
