import type { CallOptions } from '../sending/options.ts';
import { nothing, objectShape } from './resource.ts';
import type { Call, QueryOf, Schema } from './resource.ts';

/** The budget of a category in one period. */
export type Budget = Schema<'Budget'>;
/** A budget to set. */
export type BudgetUpsert = Schema<'BudgetUpsert'>;
/** How long budget periods are, and how budgets are computed. */
export type BudgetSettings = Schema<'BudgetSettings'>;
/** Budgets and activity of all categories in a range of days. Numbers are in the primary currency. */
export type BudgetSummary = Schema<'BudgetSummary'>;
/** The range of days, and what to include. */
export type BudgetSummaryQuery = QueryOf<'getBudgetSummary'>;

/** Methods of budgets. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Budgets {
  /** The settings of budgets; `coffer.budgetSettings` changes them. */
  settings(options?: CallOptions): Promise<BudgetSettings>;
  /** Sets the budget of a category for one period. ApiError 400: `start_date` is not the first day of a period. */
  set(budget: BudgetUpsert, options?: CallOptions): Promise<Budget>;
  /** Deletes the budget of a category for one period; resolves also when there is none. */
  delete(query: QueryOf<'deleteBudget'>, options?: CallOptions): Promise<void>;
}

/** The method `summary` of a client. */
export type Summary = (query: BudgetSummaryQuery, options?: CallOptions) => Promise<BudgetSummary>;

const budget = objectShape<Budget>('a budget');
const settings = objectShape<BudgetSettings>('the settings of budgets');
const summary = objectShape<BudgetSummary>('a summary');

/** The budgets of a client. */
export function makeBudgets(call: Call): Budgets {
  return {
    settings: (options) => call(settings, ['budgets', 'settings'], options),
    set: (body, options) => call(budget, ['budgets'], { ...options, method: 'PUT', body }),
    delete: (query, options) => call(nothing, ['budgets'], { ...options, method: 'DELETE', query }),
  };
}

/** The {@link Summary} of a client. */
export function makeSummary(call: Call): Summary {
  return (query, options) => call(summary, ['summary'], { ...options, query });
}
