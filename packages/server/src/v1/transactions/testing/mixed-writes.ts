import fc from 'fast-check';
import type { Choices } from '../../../history/undo/testing/random-writes.ts';

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
