/**
 * The keys of the cache: `[area, …]`, so that everything of an area can be refreshed at once.
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
  page: (filter: string, page: number) => ['transactions', 'page', filter, page],
  months: (filter: string) => ['transactions', 'months', filter],
  /** Sums by month and category of some months. */
  sums: (first: string, last: string) => ['transactions', 'sums', first, last],
  /** The rows of some days. */
  rows: (first: string, last: string) => ['transactions', 'rows', first, last],
  balances: ['accounts', 'balances'],
  recurring: (first: string, last: string) => ['recurring', first, last],
  transaction: (id: number) => ['transactions', 'one', id],
  history: (id: number) => ['transactions', 'history', id],
  imports: ['imports'],
  importsPage: (isPreview: boolean) => ['imports', 'list', isPreview],
  import: (id: number) => ['imports', 'one', id],
  importRows: (id: number, verdict: string, page: number) => ['imports', 'rows', id, verdict, page],
  changes: ['changes'],
  changesPage: (filter: string) => ['changes', 'list', filter],
  change: (version: number) => ['changes', 'one', version],
  earlier: (version: number, page: number) => ['changes', 'earlier', version, page],
  payees: (text: string) => ['payees', text],
} as const satisfies Readonly<Record<string, unknown>>;
