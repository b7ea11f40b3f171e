import { plural } from '../plural.ts';

/** The texts of the first screen. */
export const overviewTexts = {
  title: 'Overview',
  emptyTitle: 'Drop a bank file',
  emptyHint:
    'Everything starts with transactions: import a file of your bank, or add an account and its balance by hand.',
  toImport: 'Import a file',
  toAccounts: 'Add an account',
  netWorth: 'Net worth',
  netWorthTrend: 'Net worth over the last twelve months',
  sinceMonth: (month: string) => `since the end of ${month}`,
  unchanged: (since: string) => `No change ${since}`,
  spending: (month: string) => `Spending in ${month}`,
  spendingChart: (month: string, before: string) =>
    `Spending in ${month}, day by day, and in ${before}`,
  less: (month: string) => `less than in ${month}`,
  lessByDay: (month: string, day: number) => `less than in ${month} up to day ${day}`,
  more: (month: string) => `more than in ${month}`,
  moreByDay: (month: string, day: number) => `more than in ${month} up to day ${day}`,
  same: (month: string) => `As much as in ${month}`,
  nothingYet: (month: string) => `No transactions in ${month} yet, so this is the month before.`,
  noSpending: 'No spending in this month',
  categories: 'Top categories',
  allCategories: 'All categories',
  noCategory: 'No category',
  upcoming: 'Upcoming',
  noUpcoming: 'No recurring transaction is expected in the next five weeks.',
  toRecurring: 'Recurring items',
  accounts: 'Accounts',
  noAccounts: 'No accounts yet',
  allAccounts: 'All accounts',
  review: 'To review',
  toReview: 'Review them',
  allReviewed: 'All reviewed',
  lastImport: 'Last import',
  noImport: 'Nothing has been imported yet.',
  importOf: (count: number) =>
    plural(count, { one: '# new transaction', other: '# new transactions' }),
  day: (day: number) => `Day ${day}`,
} as const;
