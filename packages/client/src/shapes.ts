import type { components } from './openapi-types.ts';

/** The records of the API document. */
type Schemas = components['schemas'];

/** A transaction as lists have it. Money is text with four decimals, positive for money out. */
export type Transaction = Schemas['Transaction'];
/** A category, or a group with its members in `children`. */
export type Category = Schemas['Category'];
/** The user and the book that a token opens. */
export type Me = Schemas['Me'];

/*
 * Answers are looked at as far as this library itself depends on them: that lists are lists, and records have ids. The
 * rest is the service's word.
 */

/** Whether a value of JSON is an object, neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value can be a record: an object with an id. */
export function hasId(value: unknown): value is { readonly id: number } {
  return isObject(value) && Number.isSafeInteger(value['id']);
}

/** Whether a value can be a transaction. */
export function isTransaction(value: unknown): value is Transaction {
  return hasId(value);
}

/** Whether a value can be a category or a group. */
export function isCategory(value: unknown): value is Category {
  return hasId(value);
}

/** Whether a value can be what the service says of the token. */
export function isMe(value: unknown): value is Me {
  return hasId(value);
}

/** Whether a value is a page of transactions. */
export function isTransactionList(value: unknown): value is Schemas['TransactionListResponse'] {
  return holdsRecords(value, 'transactions') && typeof value['has_more'] === 'boolean';
}

/** Whether a value is the list of categories. */
export function isCategoryList(value: unknown): value is Schemas['CategoryListResponse'] {
  return holdsRecords(value, 'categories');
}

/** Whether a value has a list of records under `key`. */
export function holdsRecords(
  value: unknown,
  key: string,
): value is Readonly<Record<string, unknown>> {
  const records = isObject(value) ? value[key] : undefined;
  return Array.isArray(records) && records.every(hasId);
}
