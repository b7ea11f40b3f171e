import type { CallOptions } from '../../sending/options.ts';
import { listShape, nothing, recordShape } from '../resource.ts';
import type { Call, QueryOf, RecordMethods, Schema } from '../resource.ts';

/** A recurring item with everything that decides which transactions belong to it, without its occurrences. */
export type RecurringDefinition = Schema<'RecurringItemDetails'>;
/** A new recurring item. */
export type RecurringInsert = Schema<'RecurringItemInsert'>;
/** New values for properties of a recurring item; a complete record is accepted too. */
export type RecurringUpdate = Schema<'RecurringItemUpdate'>;

type Methods = RecordMethods<
  RecurringDefinition,
  RecurringInsert,
  RecurringUpdate,
  QueryOf<'deleteRecurringItem'>
>;

/** Methods that write recurring items. All reject with an error of this library, or with the reason of a signal. */
export interface RecurringDefinitions extends Omit<Methods, 'get'> {
  /** All recurring items, also suggested and dismissed ones. */
  list(options?: CallOptions): Promise<readonly RecurringDefinition[]>;
}

const definition = recordShape<RecurringDefinition>('a recurring item');
const definitions = listShape<RecurringDefinition>('recurring_items');

/** The {@link RecurringDefinitions} of a client; `call` is that of Coffer's own API. */
export function makeRecurringDefinitions(call: Call): RecurringDefinitions {
  const path = ['recurring_items'];
  return {
    list: (options) => call(definitions, path, options),
    create: (body, options) => call(definition, path, { ...options, method: 'POST', body }),
    update: (id, body, options) =>
      call(definition, [...path, { id }], { ...options, method: 'PUT', body }),
    delete: (id, query, options) =>
      call(nothing, [...path, { id }], { ...options, method: 'DELETE', query }),
  };
}
