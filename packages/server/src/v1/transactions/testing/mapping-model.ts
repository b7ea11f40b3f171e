import fc from 'fast-check';
import type { Choices } from '../../../history/undo/testing/random-writes.ts';

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

/** A request that writes: method, path and body. */
export type Sent = readonly [method: string, url: string, body?: object];

type Write = (c: Choices) => Sent;
type Row = Parameters<Parameters<Choices['row']>[1] & object>[0];

/** A write of a history: by v1 or by v2. */
export interface MixedWrite {
  readonly kind: string;
  readonly seeds: readonly number[];
}

const isPlain = (row: Row) =>
  row['group_parent_id'] === null && row['is_group_parent'] === false && isWhole(row);
const isWhole = (row: Row) => row['split_parent_id'] === null && row['is_split_parent'] === false;
const isSplit = (row: Row) => row['is_split_parent'];
const isGroup = (row: Row) => row['is_group_parent'];
const isCategory = (row: Row) => row['is_group'] === false;
const isCategoryGroup = (row: Row) => row['is_group'];

const date = (c: Choices) => c.of('2025-12-01', '2025-12-31', '2026-01-01', '2026-01-02');
const money = (c: Choices) => `${c.below(9) - 4}.${c.below(4)}`;

function columnsV1(c: Choices): Record<string, unknown> {
  return {
    date: date(c),
    amount: money(c),
    payee: c.of('Shop', 'Bakery', 'Pay'),
    notes: c.of('N', 'M', ''),
    category_id: c.maybe('categories', isCategory),
    asset_id: c.maybe('manual_accounts'),
    status: c.of('cleared', 'uncleared'),
    external_id: c.of(null, null, null, 'E', 'F'),
    tags: c.of<unknown>([], [c.id('tags'), 'new'], ['new', 'other'], null),
  };
}

function someOf(c: Choices, columns: Record<string, unknown>): Record<string, unknown> {
  const all = Object.entries(columns);
  return Object.fromEntries([c.of(...all), c.of(...all), c.of(...all)]);
}

const post = (url: string, body: object): Sent => ['POST', url, body];
const put = (url: string, body: object): Sent => ['PUT', url, body];
const remove = (url: string): Sent => ['DELETE', url];

function splitV1(c: Choices): Sent {
  const row = c.row('transactions', isPlain);
  const debit_as_negative = c.isTrue();
  const total = Math.round(Number(row['amount']) * 10_000) * (debit_as_negative ? -1 : 1);
  const first = c.below(5) * 10_000;
  const split = [first, total - first].map((amount) => ({
    amount: amount / 10_000,
    payee: c.of(null, 'Part'),
    category_id: c.maybe('categories', isCategory),
  }));
  return put(`/v1/transactions/${String(row['id'])}`, { split, debit_as_negative });
}

const group = (c: Choices) => ({
  date: date(c),
  payee: 'Trip',
  notes: c.of(null, 'All'),
  category_id: c.maybe('categories', isCategory),
});
const inGroup = (c: Choices) => ({ group_id: c.maybe('categories', isCategoryGroup) });
const members = (c: Choices) => c.ids('transactions', 7, isPlain);

export const writesV1: Readonly<Record<string, Write>> = {
  insert: (c) =>
    post('/v1/transactions', {
      transactions: Array.from({ length: 1 + c.below(3) }, () => columnsV1(c)),
      debit_as_negative: c.isTrue(),
      skip_duplicates: c.isTrue(),
      skip_balance_update: c.isTrue(),
    }),
  update: (c) => {
    const sent = { transaction: someOf(c, columnsV1(c)), debit_as_negative: c.isTrue() };
    return put(`/v1/transactions/${c.id('transactions')}`, sent);
  },
  split: splitV1,
  unsplit: (c) => {
    const parent_ids = c.ids('transactions', 2, isSplit);
    return post('/v1/transactions/unsplit', { parent_ids, remove_parents: c.isTrue() });
  },
  group: (c) => {
    const sent = { ...group(c), transactions: members(c), tags: c.ids('tags', 2) };
    return post('/v1/transactions/group', sent);
  },
  ungroup: (c) => remove(`/v1/transactions/group/${c.id('transactions', isGroup)}`),
  category: (c) => post('/v1/categories', { name: c.of('Food', 'Fun', 'Gym'), ...inGroup(c) }),
  'category group': (c) => {
    const category_ids = c.ids('categories', 2, isCategory);
    return post('/v1/categories/group', { name: c.of('Home', 'Work'), category_ids });
  },
  'changed category': (c) => {
    const changes = [{ is_income: c.isTrue() }, { archived: c.isTrue() }, { name: c.of('A', 'B') }];
    return put(`/v1/categories/${c.id('categories')}`, c.of<object>(...changes));
  },
  'no category': (c) => remove(`/v1/categories/${c.id('categories')}/force`),
};

/** The writes of v2, which are those of any history. */
const kindsV2 = [
  ...(['createNewTransactions', 'updateTransaction', 'updateTransaction'] as const),
  ...([
    'splitTransaction',
    'unsplitTransaction',
    'groupTransactions',
    'ungroupTransactions',
  ] as const),
  ...(['deleteTransactionById', 'createRecurringItem', 'updateTag', 'deleteTag'] as const),
  ...([
    'updateCategory',
    'updateManualAccount',
    'groupTransactions',
    'ungroupTransactions',
  ] as const),
] as const;

const seeds = fc.array(fc.nat(59), { minLength: 12, maxLength: 12 });
const kinds = fc.oneof(
  fc.constantFrom(...Object.keys(writesV1), 'insert', 'group'),
  fc.constantFrom(...kindsV2),
);

/** Every kind of write: the names of writes of v1, and operations of v2. */
export const mixedKinds: readonly string[] = [...Object.keys(writesV1), ...kindsV2];

/** Histories of writes, half by v1 and half by v2, after some that other writes need. */
export const historyArbitrary: fc.Arbitrary<readonly MixedWrite[]> = fc
  .tuple(
    ...['insert', 'createNewTransactions', 'createRecurringItem'].map((kind) =>
      fc.record({ kind: fc.constant(kind), seeds }),
    ),
    fc.array(fc.record({ kind: kinds, seeds }), { minLength: 4, maxLength: 14, size: 'max' }),
  )
  .map((history) => history.flat());
