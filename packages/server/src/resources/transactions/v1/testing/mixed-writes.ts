import fc from 'fast-check';
import type { Choices } from '../../../undo/testing/random-writes.ts';

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

/** The columns of a transaction that both APIs name alike. */
function shared(c: Choices): Record<string, unknown> {
  return {
    ...{ date: date(c), amount: money(c), payee: c.of('Shop', 'Bakery', 'Pay') },
    ...{ notes: c.of('N', 'M', ''), category_id: c.maybe('categories', isCategory) },
  };
}

function columnsV1(c: Choices): Record<string, unknown> {
  return {
    ...{ ...shared(c), asset_id: c.maybe('manual_accounts') },
    ...{ status: c.of('cleared', 'uncleared'), external_id: c.of(null, null, null, 'E', 'F') },
    tags: c.of<unknown>([], [c.id('tags'), 'new'], ['new', 'other'], null),
  };
}

function columnsV2(c: Choices): Record<string, unknown> {
  return {
    ...{ ...shared(c), manual_account_id: c.maybe('manual_accounts') },
    ...{ status: c.of('reviewed', 'unreviewed'), tag_ids: c.isTrue() ? [] : c.ids('tags', 2) },
  };
}

function someOf(c: Choices, columns: Record<string, unknown>): Record<string, unknown> {
  const all = Object.entries(columns);
  return Object.fromEntries([c.of(...all), c.of(...all), c.of(...all)]);
}

/** Amounts of parts that total that of the row. */
function amounts(c: Choices, row: Row, sign: number): number[] {
  const total = Math.round(Number(row['amount']) * 10_000) * sign;
  const first = c.below(5) * 10_000;
  return [first, total - first].map((each) => each / 10_000);
}

const post = (url: string, body: object): Sent => ['POST', url, body];
const put = (url: string, body: object): Sent => ['PUT', url, body];
const remove = (url: string): Sent => ['DELETE', url];

function splitV1(c: Choices): Sent {
  const row = c.row('transactions', isPlain);
  const debit_as_negative = c.isTrue();
  const split = amounts(c, row, debit_as_negative ? -1 : 1).map((amount) => ({
    ...{ amount, payee: c.of(null, 'Part'), category_id: c.maybe('categories', isCategory) },
  }));
  return put(`/v1/transactions/${String(row['id'])}`, { split, debit_as_negative });
}

function splitV2(c: Choices): Sent {
  const row = c.row('transactions', isPlain);
  const parts = amounts(c, row, 1).map((amount) => ({ amount, tag_ids: c.ids('tags', 1) }));
  return post(`/v2/transactions/split/${String(row['id'])}`, { child_transactions: parts });
}

function recurring(c: Choices): Sent {
  const rhythm = { granularity: c.of('month', 'week', 'year'), quantity: c.of(1, 2, 3, 4, 6) };
  const amount = { anchor_date: '2026-01-01', amount: money(c), payee: c.of('Shop', null) };
  const overrides = c.of({}, { payee: 'Landlord', notes: 'Flat' }, { notes: 'Rent' });
  const texts = { overrides, description: c.of(null, 'D') };
  return post('/coffer/recurring_items', {
    transaction_criteria: { ...rhythm, ...amount },
    ...texts,
  });
}

const group = (c: Choices) => ({
  ...{ date: date(c), payee: 'Trip', notes: c.of(null, 'All') },
  category_id: c.maybe('categories', isCategory),
});
const inGroup = (c: Choices) => ({ group_id: c.maybe('categories', isCategoryGroup) });
const members = (c: Choices) => c.ids('transactions', 7, isPlain);

const writesV1: Readonly<Record<string, Write>> = {
  insert: (c) =>
    post('/v1/transactions', {
      transactions: Array.from({ length: 1 + c.below(3) }, () => columnsV1(c)),
      ...{ debit_as_negative: c.isTrue(), skip_duplicates: c.isTrue() },
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

const writesV2: Readonly<Record<string, Write>> = {
  insert: (c) => post('/v2/transactions', { transactions: [columnsV2(c), columnsV2(c)] }),
  update: (c) => put(`/v2/transactions/${c.id('transactions')}`, someOf(c, columnsV2(c))),
  link: (c) => {
    const url = `/v2/transactions/${c.id('transactions', isPlain)}`;
    return put(url, { recurring_id: c.id('recurring_items') });
  },
  split: splitV2,
  unsplit: (c) => remove(`/v2/transactions/split/${c.id('transactions', isSplit)}`),
  group: (c) => {
    const sent = { ...group(c), ids: members(c), tag_ids: c.ids('tags', 2) };
    return post('/v2/transactions/group', sent);
  },
  ungroup: (c) => remove(`/v2/transactions/group/${c.id('transactions', isGroup)}`),
  delete: (c) => remove(`/v2/transactions/${c.id('transactions')}`),
  recurring,
  tag: (c) => put(`/v2/tags/${c.id('tags')}`, { name: c.of('x', 'y'), archived: c.isTrue() }),
  'no tag': (c) => remove(`/v2/tags/${c.id('tags')}?force=true`),
  category: (c) => {
    const changes = [{ exclude_from_totals: c.isTrue() }, inGroup(c)];
    return put(`/v2/categories/${c.id('categories')}`, c.of<object>(...changes));
  },
  account: (c) => {
    const names = { display_name: c.of(null, 'Shown'), institution_name: c.of(null, 'Bank') };
    return put(`/v2/manual_accounts/${c.id('manual_accounts')}`, names);
  },
};

/** Every kind of write, by its name: `v1 insert`. */
export const mixedWrites: ReadonlyMap<string, Write> = new Map(
  [['v1', writesV1] as const, ['v2', writesV2] as const].flatMap(([api, writes]) =>
    Object.entries(writes).map(([kind, write]) => [`${api} ${kind}`, write] as const),
  ),
);

const seeds = fc.array(fc.nat(59), { minLength: 12, maxLength: 12 });
const kinds = fc.oneof(
  fc.constantFrom(...Object.keys(writesV1), 'insert', 'group').map((kind) => `v1 ${kind}`),
  fc.constantFrom(...Object.keys(writesV2), 'link', 'group').map((kind) => `v2 ${kind}`),
);

/** Histories of writes, half by v1 and half by v2, after some that other writes need. */
export const historyArbitrary: fc.Arbitrary<readonly MixedWrite[]> = fc
  .tuple(
    ...['v1 insert', 'v2 insert', 'v2 recurring'].map((kind) =>
      fc.record({ kind: fc.constant(kind), seeds }),
    ),
    fc.array(fc.record({ kind: kinds, seeds }), { minLength: 4, maxLength: 14, size: 'max' }),
  )
  .map((history) => history.flat());
