/** The texts of the first screen. */
export const overviewTexts = {
  title: 'Overview',
  hint: 'Everything that Coffer knows about your money starts with transactions.',
  toTransactions: 'Show transactions',
} as const;
