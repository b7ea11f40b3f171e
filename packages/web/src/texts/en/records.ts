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
  transaction_files: { one: 'attachment', other: 'attachments' },
  budgets: { one: 'budget', other: 'budgets' },
  budget_settings: { one: 'budget setting', other: 'budget settings' },
  rules: { one: 'rule', other: 'rules' },
  crypto_synced_accounts: { one: 'crypto account', other: 'crypto accounts' },
  crypto_synced_balances: { one: 'crypto balance', other: 'crypto balances' },
  crypto_manual_accounts: { one: 'crypto asset', other: 'crypto assets' },
  deleted_accounts: { one: 'deleted account', other: 'deleted accounts' },
  balance_history: { one: 'earlier balance', other: 'earlier balances' },
};
