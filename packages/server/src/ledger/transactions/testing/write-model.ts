import fc from 'fast-check';
import type { WriteScene } from './write-scene.ts';

/** What the model knows of a transaction; the amount in units. */
export interface ModelRow {
  readonly date: string;
  readonly amount: number;
  readonly currency: 'eur' | 'usd';
  readonly manual_account_id: number | null;
  readonly plaid_account_id: number | null;
  readonly external_id: string | null;
  readonly tag_ids: readonly number[];
  readonly notes: string | null;
  readonly is_split_parent: boolean;
  readonly split_parent_id: number | null;
  readonly is_group_parent: boolean;
  readonly group_parent_id: number | null;
}

export type Model = ReadonlyMap<number, ModelRow>;

type Account = 'cash' | 'card' | 'bank' | 'none';

/** Values of a request, before it is known which records exist. */
export interface Values {
  readonly date: string;
  readonly amount: number;
  readonly currency: 'eur' | 'usd';
  readonly account: Account;
  readonly external_id: string | null;
  readonly tags: readonly ('tagA' | 'tagB')[];
  readonly notes: string | null;
}

const values = {
  date: fc.constantFrom('2026-01-31', '2026-02-01', '2026-02-02'),
  amount: fc.integer({ min: -20, max: 20 }),
  currency: fc.constantFrom('eur' as const, 'usd' as const),
  account: fc.constantFrom<Account[]>('cash', 'cash', 'card', 'card', 'bank', 'none'),
  external_id: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 3 }),
  tags: fc.subarray(['tagA' as const, 'tagB' as const]),
  notes: fc.option(fc.constantFrom('x', 'y')),
};

/** Picks are places among the existing transactions that fit; one in four is among all of them. */
export type Write =
  | { readonly kind: 'insert'; readonly rows: readonly Values[] }
  | { readonly kind: 'update'; readonly rows: readonly { pick: number; values: Partial<Values> }[] }
  | { readonly kind: 'delete' | 'group'; readonly picks: readonly number[] }
  | { readonly kind: 'split'; readonly pick: number; readonly amounts: readonly number[] }
  | { readonly kind: 'ungroup' | 'unsplit'; readonly pick: number };

const pick = fc.nat(59);

const insert = fc.record({
  kind: fc.constant('insert' as const),
  rows: fc.array(fc.record(values), { minLength: 1, maxLength: 6, size: 'max' }),
});
const update = fc.record({
  kind: fc.constant('update' as const),
  rows: fc.array(fc.record({ pick, values: fc.record(values, { requiredKeys: ['notes'] }) }), {
    minLength: 1,
    maxLength: 5,
  }),
});
const ofMany = fc.record({
  kind: fc.constantFrom('delete' as const, 'group' as const, 'group' as const),
  picks: fc.uniqueArray(pick, { minLength: 1, maxLength: 3 }),
});
const split = fc.record({
  kind: fc.constant('split' as const),
  pick,
  amounts: fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 3 }),
});
const back = fc.record({ kind: fc.constantFrom('ungroup' as const, 'unsplit' as const), pick });

/** Requests in their order, after one that inserts. There are few values, so that requests affect each other. */
export const writesArbitrary: fc.Arbitrary<readonly Write[]> = fc
  .tuple(
    insert,
    fc.array(fc.oneof(insert, update, ofMany, split, back), {
      minLength: 2,
      maxLength: 12,
      size: 'max',
    }),
  )
  .map((writes) => writes.flat());

/** Returns the properties of a request with these values. */
export function propertiesOf(given: Partial<Values>, scene: WriteScene): Partial<ModelRow> {
  const { account, tags, ...same } = given;
  const accounts = {
    manual_account_id: account === 'cash' || account === 'card' ? scene[account] : null,
    plaid_account_id: account === 'bank' ? scene.bank : null,
  };
  return {
    ...same,
    ...(account !== undefined && accounts),
    ...(tags !== undefined && { tag_ids: tags.map((name) => scene[name]) }),
  };
}

/** How a transaction is arranged that is neither split nor grouped. */
export const plain = {
  is_split_parent: false,
  split_parent_id: null,
  is_group_parent: false,
  group_parent_id: null,
};

export function isPlain(row: ModelRow): boolean {
  return Object.entries(plain).every(([name, value]) => row[name as keyof ModelRow] === value);
}

/** The value in the currency of the book. There is no rate of euros. */
export function toBaseOf({ amount, currency }: ModelRow): number {
  return currency === 'usd' ? amount : 0;
}

export function total(amounts: readonly number[]): number {
  return amounts.reduce((sum, each) => sum + each, 0);
}

/** Whether two transactions have the same external id in the same manual account. */
export function isAmbiguous(rows: Iterable<ModelRow>): boolean {
  const keys = [...rows]
    .filter((row) => row.manual_account_id !== null && row.external_id !== null)
    .map((row) => `${row.manual_account_id} ${row.external_id}`);
  return new Set(keys).size < keys.length;
}

/** Returns the transactions after updates; null if the request must be refused. */
export function updated(
  model: Model,
  updates: readonly (Partial<ModelRow> & { readonly id: number })[],
): Model | null {
  const after = new Map(model);
  for (const { id, ...properties } of updates) {
    const before = after.get(id)!;
    const row = { ...before, ...properties };
    const isNew = row.external_id !== null && row.external_id !== before.external_id;
    if (!isPlain(before) || (isNew && row.manual_account_id === null)) return null;
    after.set(id, row);
  }
  return isAmbiguous(after.values()) ? null : after;
}

/** Returns a group of transactions: in the currency of the book if they have several. */
export function groupOf(members: readonly ModelRow[], date: string): ModelRow {
  const [currency = 'usd', ...others] = new Set(members.map((row) => row.currency));
  const isMixed = others.length > 0;
  const none = { manual_account_id: null, plaid_account_id: null, external_id: null, notes: null };
  return {
    ...plain,
    ...none,
    date,
    tag_ids: [],
    is_group_parent: true,
    currency: isMixed ? 'usd' : currency,
    amount: total(members.map((row) => (isMixed ? toBaseOf(row) : row.amount))),
  };
}
