import { plural } from '../plural.ts';

/** The texts of undos that meet later changes. */
export const undoTexts = {
  redo: 'Redo',
  conflicts: 'Records were changed since',
  conflictsHint:
    'An undo would lose these later changes. Keep the records as they are and undo the rest, or undo the later changes first.',
  moreConflicts: (count: number) => `And ${plural(count, { one: '# more', other: '# more' })}`,
  skip: 'Keep these, undo the rest',
  nothingLeft: 'All of it was changed since: there is nothing left to undo.',
  cancel: 'Cancel',
  kept: (count: number) =>
    `${plural(count, { one: '# record was', other: '# records were' })} kept as it is now`,
  blocked: (count: number) =>
    `Because of it ${plural(count, { one: '# record stays', other: '# records stay' })} as they are`,
  reasons: {
    'changed since': 'was changed since',
    'removed since': 'was deleted since',
    'used since': 'is used by something newer',
    'taken since': 'its place or name was taken since',
    'imported since': 'was imported again since',
  } as Readonly<Record<string, string>>,
  column: (column: string, reason: string) => `${column} ${reason}`,
  pruned: 'The history of this book no longer goes back to this change, so it cannot be undone.',
  undoneAlready: (version: number) => `It is undone already, by version ${version}`,
} as const;

/** The names of one record, and of several, by the kinds of the API. */
export const recordNames: Readonly<
  Record<string, { readonly one: string; readonly other: string }>
> = {
  connections: { one: 'connection', other: 'connections' },
  manual_accounts: { one: 'account', other: 'accounts' },
  plaid_accounts: { one: 'synced account', other: 'synced accounts' },
  categories: { one: 'category', other: 'categories' },
  tags: { one: 'tag', other: 'tags' },
  recurring_items: { one: 'recurring item', other: 'recurring items' },
  transactions: { one: 'transaction', other: 'transactions' },
  transfers: { one: 'transfer', other: 'transfers' },
  transaction_files: { one: 'attachment', other: 'attachments' },
  budgets: { one: 'budget', other: 'budgets' },
  budget_settings: { one: 'budget setting', other: 'budget settings' },
  book_settings: { one: 'setting of the book', other: 'settings of the book' },
  rules: { one: 'rule', other: 'rules' },
  crypto_synced_accounts: { one: 'crypto account', other: 'crypto accounts' },
  crypto_synced_balances: { one: 'crypto balance', other: 'crypto balances' },
  crypto_manual_accounts: { one: 'crypto asset', other: 'crypto assets' },
  deleted_accounts: { one: 'deleted account', other: 'deleted accounts' },
  balance_history: { one: 'earlier balance', other: 'earlier balances' },
};
