/*
 * What other resources use of recurring items. Expected and missing dates are in rules.ts.
 */
export { expectedOccurrences, knownRecurringIds, shownText, shownTexts } from './links.ts';
export { listRecurring, recurringOfAccount, recurringOfCategory } from './items.ts';
export { matchRecurring } from './matching.ts';
export type { OwnText, ShownText } from './rules.ts';
