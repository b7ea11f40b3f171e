import * as schema from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const recurringComponents = {
  RecurringItemListResponse: schema.RecurringItemList,
  RecurringItem: schema.RecurringItem,
  RecurringItemDetailsListResponse: schema.RecurringItemDetailsList,
  RecurringItemDetails: schema.RecurringItemDetails,
  RecurringItemInsert: schema.RecurringItemInsert,
  RecurringItemUpdate: schema.RecurringItemUpdate,
  RecurringItemDependents: schema.RecurringItemDependents,
};
