import fc from 'fast-check';
import type { Values } from '../../../db/table.ts';
import type { AnyRequest } from '../../../operations/operation.ts';

export type Part = Partial<Pick<AnyRequest, 'params' | 'query' | 'body'>>;

/** One write of a history: its kind, and numbers that choose records and values. */
export interface RandomWrite {
  readonly kind: keyof typeof requests | (typeof otherKinds)[number];
  readonly seeds: readonly number[];
}

/** Writes that are no requests of clients. */
const otherKinds = ['import', 'refresh a bank', 'refresh crypto'] as const;

const frequent = [
  ...(['createNewTransactions', 'updateTransactions', 'updateTransactions'] as const),
  ...(['updateTransaction', 'updateTransaction', 'deleteTransactions', 'import'] as const),
  ...(['updateCategory', 'updateCategory', 'updateTag', 'updateManualAccount'] as const),
  ...(['splitTransaction', 'groupTransactions', 'updateManualAccount', 'upsertBudget'] as const),
] as const;

/** Writes of a new book, so that others have records to choose from. */
export const firstWrites: readonly RandomWrite[] = (
  [
    ...(['createNewTransactions', 'createNewTransactions', 'createRule', 'createRule'] as const),
    ...(['createRecurringItem', 'createCryptoManual', 'upsertBudget', 'import'] as const),
    ...(['attachFileToTransaction', 'splitTransaction', 'upsertBalanceHistoryForAccount'] as const),
  ] as const
).map((kind, at) => ({ kind, seeds: [2, 5, 1, 0, at, 1, 3, 2, 7, 1, at, 4] }));

/** A step of a history: a write, or the undo of a version, chosen by a number. */
export type RandomStep = RandomWrite | number;

/** Steps of any kind. There are few records and values, so that writes affect each other. */
export function stepsArbitrary(most: number): fc.Arbitrary<readonly RandomStep[]> {
  const kinds = [...Object.keys(requests), ...otherKinds, ...frequent] as RandomWrite['kind'][];
  const seeds = fc.array(fc.nat(59), { minLength: 12, maxLength: 12 });
  const write = fc.record({ kind: fc.constantFrom(...kinds), seeds });
  const step = fc.oneof({ weight: 5, arbitrary: write }, { weight: 3, arbitrary: fc.nat(59) });
  return fc.array<RandomStep>(step, { minLength: 3, maxLength: most, size: 'max' });
}

/** Chooses among the records of a book, and among values. */
export class Choices {
  readonly #rows: (table: string) => readonly Values[];
  readonly #seeds: readonly number[];
  #next = 0;

  constructor(rows: (table: string) => readonly Values[], seeds: readonly number[]) {
    this.#rows = rows;
    this.#seeds = seeds;
  }

  below(count: number): number {
    this.#next += 1;
    return this.#seeds[this.#next % this.#seeds.length]! % count;
  }

  isTrue(): boolean {
    return this.below(2) === 0;
  }

  of<T>(...all: readonly T[]): T {
    return all[this.below(all.length)]!;
  }

  /** One record that fulfils a condition. Throws if there is none. */
  row(table: string, condition: (row: Values) => unknown = () => true): Values {
    const all = this.#rows(table).filter(condition);
    if (all.length === 0) throw new NothingToChoose();
    // The first one is changed more often, so that changes meet.
    return all[this.isTrue() ? 0 : this.below(all.length)]!;
  }

  id(table: string, condition?: (row: Values) => unknown): number {
    return this.row(table, condition)['id'] as number;
  }

  all(table: string): number[] {
    return this.#rows(table).map((row) => row['id'] as number);
  }

  maybe(table: string, condition?: (row: Values) => unknown): number | null {
    const all = this.#rows(table).filter(condition ?? (() => true));
    return all.length === 0 || this.below(3) === 0 ? null : this.id(table, condition);
  }

  ids(table: string, most: number, condition?: (row: Values) => unknown): number[] {
    const count = 1 + this.below(most);
    return [...new Set(Array.from({ length: count }, () => this.id(table, condition)))];
  }
}

export class NothingToChoose extends Error {
  override name = 'NothingToChoose';
}

const isPlain = (row: Values): boolean =>
  row['is_group_parent'] !== true && row['group_parent_id'] === null && isWhole(row);
const isWhole = (row: Values): boolean =>
  row['is_split_parent'] !== true && row['split_parent_id'] === null;
const isCategory = (row: Values): boolean => row['is_group'] !== true;

const names = ['Food', 'Rent', 'Fun', 'Car', 'food', 'Gym'] as const;
const months = ['2025-11', '2025-12'] as const;

function money(c: Choices): string {
  return `${c.below(9) - 4}.${c.below(4)}`;
}

function transactionOf(c: Choices): Record<string, unknown> {
  return {
    date: c.of('2025-12-01', '2025-12-31', '2026-01-01', '2026-01-02'),
    amount: money(c),
    currency: 'usd',
    payee: c.of('Shop', 'Bakery', 'Pay'),
    category_id: c.maybe('categories', isCategory),
    manual_account_id: c.maybe('manual_accounts'),
    tag_ids: c.isTrue() ? [] : c.ids('tags', 2),
    notes: c.of(null, 'N', 'M'),
  };
}

function changesOf(c: Choices): object {
  const all = Object.entries({ ...transactionOf(c), recurring_id: c.maybe('recurring_items') });
  const picked = [c.of(...all), c.of(...all)];
  const isMoved = picked.some(([name]) => name === 'currency');
  return Object.fromEntries(isMoved ? all.slice(0, 2) : picked);
}

const category = (c: Choices) => ({ category_id: c.id('categories', isCategory) });

function ruleOf(c: Choices): object {
  return {
    name: c.of(...names),
    conditions: c.isTrue()
      ? { payee: { operator: 'contains', value: 'Shop' } }
      : { manual_account_id: c.id('manual_accounts') },
    actions: c.isTrue()
      ? { ...category(c), tag_ids: c.ids('tags', 2) }
      : { split: [{ percentage: 50, ...category(c) }, { notes: 'S' }] },
  };
}

function recurringOf(c: Choices): object {
  const anchor = { anchor_date: '2025-12-01', payee: 'Shop', quantity: c.of(1, 1, 2, 3, 4, 6) };
  const account = c.maybe('manual_accounts');
  return {
    transaction_criteria: {
      ...anchor,
      granularity: c.of('month', 'week', 'year'),
      amount: '2',
      currency: 'usd',
      ...(account !== null && { manual_account_id: account }),
    },
    overrides: { payee: c.of('Rent', 'Flat'), ...category(c), ...c.of({}, { notes: 'O' }) },
    description: c.of(null, 'D'),
  };
}

const inPath = (id: number): Part => ({ params: { id } });
const force = { force: true };
const account = (c: Choices): Part['params'] => ({
  account_type: 'manual',
  account_id: c.id('manual_accounts'),
});
const pdf = { name: 'a.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.7\n%%EOF\n') };
const isGroup = (row: Values) => row['is_group'];

/** A random request for each operation that changes a book. */
export const requests = {
  createNewTransactions: (c: Choices): Part => ({
    body: {
      transactions: Array.from({ length: 1 + c.below(3) }, (_, at) => ({
        ...transactionOf(c),
        ...(c.below(4) === 0 && { external_id: `e${at}` }),
      })),
      apply_rules: c.isTrue(),
      skip_duplicates: false,
      skip_balance_update: c.below(5) === 0,
    },
  }),
  updateTransactions: (c: Choices): Part => {
    const ids = c.ids('transactions', 3, isPlain);
    return { body: { transactions: ids.map((id) => ({ id, ...changesOf(c) })) } };
  },
  updateTransaction: (c: Choices): Part => ({
    ...inPath(c.id('transactions', isPlain)),
    query: { update_balance: c.below(5) > 0 },
    body: changesOf(c),
  }),
  editTransactions: (c: Choices): Part => {
    const changes = () => c.of<object>({ amount: money(c) }, { notes: 'E' }, category(c));
    const ids = c.ids('transactions', 3);
    return { body: { transactions: ids.map((id) => ({ id, ...changes() })) } };
  },
  changeTransactionsInBulk: (c: Choices): Part => {
    const shown = { include_pending: c.isTrue(), include_split_parents: c.isTrue() };
    const update = { ...category(c), add_tag_ids: c.ids('tags', 1), notes: 'B' };
    return {
      query: { ...shown, include_group_children: c.isTrue(), offset: c.below(3) },
      body: c.of<object>({ delete: true }, { update }, { update: { payee: c.of(...names) } }),
    };
  },
  updateTransactionV1: (c: Choices): Part => {
    const changes = [{ amount: money(c) }, { asset_id: c.id('manual_accounts') }];
    const transaction = c.of<object>(...changes, { date: '2025-12-31', payee: c.of('A', 'B') });
    const body = { transaction, skip_balance_update: c.isTrue() };
    return { ...inPath(c.id('transactions', (row) => !isPlain(row))), body };
  },
  splitTransaction: (c: Choices): Part => {
    const row = c.row('transactions', isPlain);
    const amounts = [10_000, (row['amount'] as number) - 10_000];
    const parts = amounts.map((amount) => ({ amount: amount / 10_000, tag_ids: c.ids('tags', 1) }));
    return { ...inPath(row['id'] as number), body: { child_transactions: parts } };
  },
  unsplitTransaction: (c: Choices): Part =>
    inPath(c.id('transactions', (row) => row['is_split_parent'])),
  groupTransactions: (c: Choices): Part => ({
    body: { ids: c.ids('transactions', 4, isPlain), date: '2025-12-14', payee: 'Trip' },
  }),
  ungroupTransactions: (c: Choices): Part =>
    inPath(c.id('transactions', (row) => row['is_group_parent'])),
  deleteTransactionById: (c: Choices): Part => inPath(c.id('transactions')),
  deleteTransactions: (c: Choices): Part => ({ body: { ids: c.ids('transactions', 3) } }),
  attachFileToTransaction: (c: Choices): Part => ({
    params: { transaction_id: c.id('transactions') },
    body: [['file', pdf] as const, ['notes', c.of(...names)] as const],
  }),
  deleteTransactionAttachment: (c: Choices): Part => ({
    params: { file_id: c.id('transaction_files') },
  }),
  createCategory: (c: Choices): Part => {
    if (c.isTrue())
      return { body: { name: c.of(...names), group_id: c.maybe('categories', isGroup) } };
    const children = c.ids('categories', 2, isCategory);
    return { body: { name: c.of('Home', 'Work'), is_group: true, children } };
  },
  updateCategory: (c: Choices): Part => ({
    ...inPath(c.id('categories')),
    body: c.of<object>(
      { name: c.of(...names) },
      { description: c.of('D', 'E') },
      { is_income: c.isTrue() },
      { archived: c.isTrue() },
      { group_id: c.maybe('categories', isGroup) },
      { exclude_from_totals: c.isTrue() },
    ),
  }),
  deleteCategory: (c: Choices): Part => ({ ...inPath(c.id('categories')), query: force }),
  mergeCategory: (c: Choices): Part => ({
    ...inPath(c.id('categories', isCategory)),
    body: { into_id: c.id('categories', isCategory) },
  }),
  createTag: (c: Choices): Part => ({ body: { name: c.of(...names) } }),
  updateTag: (c: Choices): Part => ({
    ...inPath(c.id('tags')),
    body: c.of<object>(
      { name: c.of(...names) },
      { description: c.of(...names) },
      { archived: c.isTrue() },
    ),
  }),
  deleteTag: (c: Choices): Part => ({ ...inPath(c.id('tags')), query: force }),
  createManualAccount: (c: Choices): Part => {
    const type = c.of('cash', 'credit');
    return { body: { name: c.of(...names), type, currency: 'usd', balance: money(c) } };
  },
  updateManualAccount: (c: Choices): Part => {
    const values = [{ name: c.of(...names) }, { balance: money(c) }, { subtype: c.of('a', 'b') }];
    const shown = [{ display_name: c.of(null, 'S') }, { institution_name: c.of(null, 'B') }];
    return { ...inPath(c.id('manual_accounts')), body: c.of<object>(...values, ...shown) };
  },
  deleteManualAccount: (c: Choices): Part => ({
    ...inPath(c.id('manual_accounts')),
    query: { delete_items: c.isTrue(), delete_balance_history: c.isTrue() },
  }),
  mergeManualAccount: (c: Choices): Part => ({
    ...inPath(c.id('manual_accounts')),
    body: c.isTrue()
      ? { into_id: c.id('manual_accounts'), add_balance: c.isTrue() }
      : { into_plaid_id: c.id('plaid_accounts') },
  }),
  createRecurringItem: (c: Choices): Part => ({ body: recurringOf(c) }),
  updateRecurringItem: (c: Choices): Part => ({
    ...inPath(c.id('recurring_items')),
    body: recurringOf(c),
  }),
  deleteRecurringItem: (c: Choices): Part => ({ ...inPath(c.id('recurring_items')), query: force }),
  upsertBudget: (c: Choices): Part => ({
    body: {
      start_date: c.of('2025-11-01', '2025-12-01'),
      category_id: c.id('categories'),
      amount: c.below(9),
      currency: 'usd',
    },
  }),
  deleteBudget: (c: Choices): Part => {
    const { category_id, start_date } = c.row('budgets');
    return { query: { category_id, start_date } };
  },
  moveBudget: (c: Choices): Part => {
    const [from, to] = c.all('categories');
    const ids = { from_category_id: from, to_category_id: to };
    return { body: { start_date: '2025-12-01', ...ids, amount: 1 + c.below(9) } };
  },
  updateCategorySettings: (c: Choices): Part => ({
    ...inPath(c.id('categories', isCategory)),
    body: c.of<object>({ icon: c.of(null, 'x') }, { colour: c.of('#123456', '#abcdef') }),
  }),
  updateBudgetSettings: (c: Choices): Part => {
    const income = { budget_income_option: c.of('max', 'budgeted') };
    return { body: c.of<object>({ budget_hide_no_activity: c.isTrue() }, income) };
  },
  createRule: (c: Choices): Part => ({ body: ruleOf(c) }),
  updateRule: (c: Choices): Part => ({ ...inPath(c.id('rules')), body: ruleOf(c) }),
  orderRules: (c: Choices): Part => ({ body: { rule_ids: c.all('rules').toReversed() } }),
  applyRules: (c: Choices): Part => ({
    body: { rule_id: c.id('rules'), start_date: '2025-12-01', end_date: '2026-01-31' },
  }),
  deleteRule: (c: Choices): Part => inPath(c.id('rules')),
  createCryptoManual: (c: Choices): Part => ({
    body: { name: c.of(...names), balance: money(c), symbol: 'btc' },
  }),
  updateCryptoManual: (c: Choices): Part => ({
    ...inPath(c.id('crypto_manual_accounts')),
    body: c.of<object>({ balance: `${c.below(9)}` }, { name: c.of(...names) }),
  }),
  deleteCryptoManual: (c: Choices): Part => ({
    ...inPath(c.id('crypto_manual_accounts')),
    query: { keep_history: c.isTrue() },
  }),
  upsertBalanceHistoryForAccount: (c: Choices): Part => ({
    params: account(c),
    body: { balances: [{ month: c.of(...months), balance: money(c) }] },
  }),
  deleteBalanceHistoryEntry: (c: Choices): Part => inPath(c.id('balance_history')),
  deleteBalanceHistoryForAccount: (c: Choices): Part => ({ params: account(c) }),
} as const;
