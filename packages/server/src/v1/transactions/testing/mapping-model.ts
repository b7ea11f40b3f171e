export type Json = Readonly<Record<string, unknown>>;

export interface ReadingV2 {
  readonly transactions: readonly Json[];
  readonly categories: readonly Json[];
  readonly tags: readonly Json[];
  readonly manual_accounts: readonly Json[];
  readonly plaid_accounts: readonly Json[];
  readonly recurring_items: readonly Json[];
}

const rhythms: Json = {
  week1: 'once a week',
  week2: 'every 2 weeks',
  month1: 'monthly',
  month2: 'every 2 months',
  month3: 'every 3 months',
  month4: 'every 4 months',
  month6: 'twice a year',
  year1: 'yearly',
};

/** Returns the transactions that v1 must show, in the order of its list. Written from the table of the mapping. */
export function transactionsModel(reading: ReadingV2, isNegated: boolean): Json[] {
  return reading.transactions
    .toSorted((a, b) => compare(a['date'], b['date']) || compare(a['id'], b['id']))
    .map((row) => transactionModel(reading, row, isNegated));
}

function compare(a: unknown, b: unknown): number {
  if (a === b) return 0;
  return (a as number) < (b as number) ? -1 : 1;
}

const ofNoAccount = { original_name: null, manual_account_id: null, plaid_account_id: null };

function transactionModel(reading: ReadingV2, whole: Json, isNegated: boolean): Json {
  const item = byId(reading.recurring_items, whole['recurring_id']);
  const isGroup = whole['is_group_parent'] === true;
  const row = isGroup ? { ...whole, ...ofNoAccount } : whole;
  const amount = String(row['amount']);
  return {
    ...same(row, 'id', 'date', 'currency', 'payee', 'category_id', 'created_at', 'updated_at'),
    ...same(row, 'is_pending', 'notes', 'original_name', 'recurring_id', 'plaid_account_id'),
    ...same(row, 'external_id'),
    amount: signed(isGroup ? String(Number(amount)) : amount, isNegated),
    to_base: flipped(row['to_base'], isNegated),
    ...categoryModel(reading, row['category_id']),
    status: statusOf(row),
    ...recurringModel(item, isNegated),
    parent_id: row['split_parent_id'],
    has_children: row['is_split_parent'],
    group_id: row['group_parent_id'],
    is_group: isGroup,
    asset_id: row['manual_account_id'],
    ...accountModel(reading, row),
    plaid_metadata: row['plaid_metadata'] === null ? null : JSON.stringify(row['plaid_metadata']),
    source: row['source'] === 'split' ? 'api' : row['source'],
    display_name: row['payee'],
    display_notes: row['notes'],
    tags: (row['tag_ids'] as number[]).map((id) => ({ id, name: byId(reading.tags, id)!['name'] })),
    ...(isGroup && { children: membersModel(reading, row, isNegated) }),
  };
}

function statusOf(row: Json): string {
  if (row['is_pending'] === true) return 'pending';
  return row['status'] === 'reviewed' ? 'cleared' : 'uncleared';
}

function categoryModel(reading: ReadingV2, id: unknown): Json {
  const category = byId(reading.categories, id);
  const group = byId(reading.categories, category?.['group_id']);
  const flags = ['is_income', 'exclude_from_budget', 'exclude_from_totals'] as const;
  return {
    category_name: category?.['name'] ?? null,
    category_group_id: group?.['id'] ?? null,
    category_group_name: group?.['name'] ?? null,
    ...Object.fromEntries(flags.map((flag) => [flag, (group ?? category)?.[flag] ?? false])),
  };
}

function recurringModel(item: Json | undefined, isNegated: boolean): Json {
  const criteria = (item?.['transaction_criteria'] ?? {}) as Json;
  const overrides = (item?.['overrides'] ?? {}) as Json;
  const { granularity = null, quantity = null, currency = null } = criteria;
  const rhythm = rhythms[`${String(granularity)}${String(quantity)}`] ?? null;
  const type = item?.['status'] === 'reviewed' ? 'cleared' : 'suggested';
  return {
    recurring_payee: overrides['payee'] ?? criteria['payee'] ?? null,
    recurring_description: overrides['notes'] ?? item?.['description'] ?? null,
    recurring_granularity: granularity,
    recurring_quantity: quantity,
    recurring_cadence: rhythm,
    recurring_type: item === undefined ? null : type,
    recurring_amount: item === undefined ? null : signed(String(criteria['amount']), isNegated),
    recurring_currency: currency,
  };
}

function accountModel(reading: ReadingV2, row: Json): Json {
  const asset = byId(reading.manual_accounts, row['manual_account_id']);
  const synced = byId(reading.plaid_accounts, row['plaid_account_id']);
  const account = asset ?? synced;
  const names = [account?.['institution_name'] ?? '', account?.['name'] ?? ''].map(String);
  return {
    asset_institution_name: asset?.['institution_name'] ?? null,
    asset_name: asset?.['name'] ?? null,
    asset_display_name: asset?.['display_name'] ?? null,
    asset_status: asset?.['status'] ?? null,
    plaid_account_name: synced?.['name'] ?? null,
    plaid_account_mask: synced?.['mask'] ?? null,
    institution_name: synced?.['institution_name'] ?? null,
    plaid_account_display_name: synced?.['display_name'] ?? null,
    account_display_name: account?.['display_name'] ?? names.map(String).join(' ').trim(),
  };
}

function membersModel({ transactions }: ReadingV2, group: Json, isNegated: boolean): Json[] {
  const members = transactions.filter((row) => row['group_parent_id'] === group['id']);
  return members
    .toSorted((a, b) => compare(a['id'], b['id']))
    .map((row) => ({
      ...same(row, 'id', 'payee', 'currency', 'date', 'notes', 'plaid_account_id'),
      amount: signed(String(row['amount']), isNegated),
      to_base: flipped(row['to_base'], isNegated),
      formatted_date: row['date'],
      asset_id: row['manual_account_id'],
    }));
}

/** Returns the categories that v1 must show, by id. */
export function categoriesModel({ categories }: ReadingV2): Json[] {
  const shown = categories.map((row): Json => ({
    ...same(row, 'id', 'name', 'description', 'is_income', 'exclude_from_budget', 'archived'),
    ...same(row, 'exclude_from_totals', 'updated_at', 'created_at', 'is_group', 'group_id'),
    ...same(row, 'order'),
    archived_on: row['archived_at'],
  }));
  const all = shown.toSorted((a, b) => compare(a['id'], b['id']));
  return all.map((row) => {
    const children = all.filter((each) => each['group_id'] === row['id']);
    return children.length === 0 ? row : { ...row, children };
  });
}

/** Returns the tags that v1 must show, by id. */
export function tagsModel({ tags }: ReadingV2): Json[] {
  return tags
    .map((tag) => same(tag, 'id', 'name', 'description', 'archived'))
    .toSorted((a, b) => compare(a['id'], b['id']));
}

function byId(records: readonly Json[], id: unknown): Json | undefined {
  return records.find((record) => record['id'] === id);
}

function same(row: Json, ...names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

function flipped(value: unknown, isNegated: boolean): number {
  return isNegated ? 0 - (value as number) : (value as number);
}

function signed(amount: string, isNegated: boolean): string {
  if (!isNegated || Number(amount) === 0) return amount;
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}
