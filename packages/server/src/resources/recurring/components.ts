import type { TSchema } from 'typebox';
import * as schema from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const recurringComponents: Readonly<Record<string, TSchema>> = {
  RecurringItemListResponse: schema.RecurringItemList,
  RecurringItem: schema.RecurringItem,
  RecurringItemDetailsListResponse: schema.RecurringItemDetailsList,
  RecurringItemDetails: schema.RecurringItemDetails,
  RecurringItemInsert: schema.RecurringItemInsert,
  RecurringItemUpdate: schema.RecurringItemUpdate,
  RecurringItemDependents: schema.RecurringItemDependents,
};
