import type { CallOptions } from '../sending/options.ts';
import {
  recordShape,
  listShape,
  recordMethods,
  nothing,
  objectShape,
  type Call,
  type Schema,
  type QueryOf,
  type RecordMethods,
} from './resource.ts';

/** The user and the book of a token. */
export type Me = Schema<'Me'>;

const me = recordShape<Me>('a user');

/** The method `me` of a client. */
export function makeMe(call: Call): (options?: CallOptions) => Promise<Me> {
  return (options) => call(me, ['me'], options);
}

/** A category, or a group with its members in `children`. */
export type Category = Schema<'Category'>;
/** A new category or group. */
export type CategoryInsert = Schema<'CategoryInsert'>;
/** New values for properties of a category or group; a complete record is accepted too. */
export type CategoryUpdate = Schema<'CategoryUpdate'>;
/** Query parameters of the list of categories. */
export type CategoryQuery = QueryOf<'getAllCategories'>;
/** Query parameters of a deletion. */
export type CategoryDeletion = QueryOf<'deleteCategory'>;

/** Methods of categories. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Categories extends RecordMethods<
  Category,
  CategoryInsert,
  CategoryUpdate,
  CategoryDeletion
> {
  /** All categories and groups, in one request; `format` is `nested` by default. */
  list(query?: CategoryQuery, options?: CallOptions): Promise<readonly Category[]>;
}

const category = recordShape<Category>('a category');
const categories = listShape<Category>('categories');

/** The categories of a client. */
export function makeCategories(call: Call): Categories {
  return {
    ...recordMethods(call, ['categories'], category),
    list: (query, options) => call(categories, ['categories'], { ...options, query }),
  };
}

/** A label that any number of transactions can have. */
export type Tag = Schema<'Tag'>;
/** A new tag. */
export type TagInsert = Schema<'TagInsert'>;
/** New values for properties of a tag; a complete record is accepted too. */
export type TagUpdate = Schema<'TagUpdate'>;
/** Query parameters of a deletion. */
export type TagDeletion = QueryOf<'deleteTag'>;

/** Methods of tags. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Tags extends RecordMethods<Tag, TagInsert, TagUpdate, TagDeletion> {
  /** All tags, in one request. */
  list(options?: CallOptions): Promise<readonly Tag[]>;
}

const tag = recordShape<Tag>('a tag');
const tags = listShape<Tag>('tags');

/** The tags of a client. */
export function makeTags(call: Call): Tags {
  return {
    ...recordMethods(call, ['tags'], tag),
    list: (options) => call(tags, ['tags'], options),
  };
}

/** A recurring item with its occurrences in a range of days. */
export type RecurringItem = Schema<'RecurringItem'>;
/** The range of days, by default the present month, and whether suggestions are included. */
export type RecurringItemQuery = QueryOf<'getAllRecurring'>;

/**
 * Methods of recurring items. All reject with an error of this library, or with the reason of an aborted signal.
 *
 * `coffer.recurringItems` creates, changes and deletes them.
 */
export interface RecurringItems {
  /** All recurring items, in one request. */
  list(query?: RecurringItemQuery, options?: CallOptions): Promise<readonly RecurringItem[]>;
  /** One recurring item. ApiError 404: it does not exist. */
  get(
    id: number,
    query?: QueryOf<'getRecurringById'>,
    options?: CallOptions,
  ): Promise<RecurringItem>;
}

const item = recordShape<RecurringItem>('a recurring item');
const items = listShape<RecurringItem>('recurring_items');

/** The recurring items of a client. */
export function makeRecurringItems(call: Call): RecurringItems {
  const base = 'recurring_items';
  return {
    list: (query, options) => call(items, [base], { ...options, query }),
    get: (id, query, options) => call(item, [base, { id }], { ...options, query }),
  };
}

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
