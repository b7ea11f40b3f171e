/**
 * The areas of the cache, with which all its keys begin, so that everything of an area can be read again at once.
 *
 * All data is of one book; signing in to another one empties the cache.
 */
export const keys = {
  session: ['session'],
  categories: ['categories'],
  tags: ['tags'],
  accounts: ['accounts'],
  /** Everything that depends on transactions. */
  transactions: ['transactions'],
  /** Which transactions may be transfers. */
  transfers: ['transfers'],
  recurring: ['recurring'],
  rules: ['rules'],
  budgets: ['budgets'],
  imports: ['imports'],
  changes: ['changes'],
  payees: ['payees'],
  settings: ['settings'],
} as const;
