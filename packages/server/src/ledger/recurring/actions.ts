/*
 * What other resources use of recurring items. Expected and missing dates are in rules.ts.
 */
export { expectedOccurrences, knownRecurringIds, shownText, shownTexts } from './links.ts';
export { listRecurring } from './items.ts';
export { matchRecurring, reviewedItems } from './links.ts';
export type { OwnText, RecurringRow, ShownText } from './rules.ts';
