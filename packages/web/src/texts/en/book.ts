/** The texts about the name and the currency of the book. */
export const bookTexts = {
  edit: 'Name and currency',
  name: 'Name',
  currency: 'Currency',
  currencyHint:
    'Totals, reports and budgets are in it. You can change it until there is an account, a transaction or a budget.',
  saved: (name: string, currency: string) => `The book is now ${name}, in ${currency}`,
} as const;
