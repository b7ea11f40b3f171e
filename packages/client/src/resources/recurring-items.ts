import type { CallOptions } from '../sending/options.ts';
import { listShape, recordShape } from './resource.ts';
import type { Call, QueryOf, Schema } from './resource.ts';

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
