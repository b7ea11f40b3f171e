import fc from 'fast-check';
import { anyText } from '../../../../core/src/testing/any-text.ts';
import type { DemoBook, DemoTransaction } from '../../demo/book/demo-book.ts';
import type { TransactionQuery } from '../filter.ts';

/** Few days around the ends of months and years, so that many rows have the same date. */
const days = [
  '2023-12-30',
  '2023-12-31',
  '2024-01-01',
  '2024-02-29',
  '2024-03-01',
  '9999-12-31',
  '0001-01-01',
];

const account = { institution_name: 'Bank', currency: 'usd', balance: 0 };
const cash = { ...account, type: 'cash', subtype: null } as const;
const synced = { ...account, type: 'credit', subtype: 'credit card', mask: '1234' } as const;
const category = {
  description: null,
  is_income: false,
  exclude_from_budget: false,
  exclude_from_totals: false,
  is_group: false,
  group: null,
  order: null,
};
const tag = { description: null, text_color: null, background_color: null };

/** A book of at most 60 transactions. The model lists them by sorting an array. */
export const bookArbitrary: fc.Arbitrary<DemoBook> = fc
  .array(transactionArbitrary(), { maxLength: 60, size: 'max' })
  .map((rows) => ({
    name: 'Model',
    primaryCurrency: 'usd',
    manualAccounts: ['Checking', 'Savings'].map((name) => ({ ...cash, name })),
    plaidAccounts: ['Card', 'Synced'].map((name) => ({ ...synced, name })),
    categories: [
      { ...category, name: 'Home', is_group: true },
      { ...category, name: 'Rent', group: 0 },
      { ...category, name: 'Power', group: 0 },
      { ...category, name: 'Food' },
    ],
    tags: ['holiday', 'work'].map((name) => ({ ...tag, name })),
    transactions: rows.map(withParents),
  }));

function transactionArbitrary(): fc.Arbitrary<DemoTransaction> {
  return fc.record({
    date: fc.constantFrom(...days),
    amount: fc.integer({ min: -(2 ** 53 - 1), max: 2 ** 53 - 1 }),
    currency: fc.constantFrom('usd', 'eur'),
    to_base: fc.integer({ min: -1_000_000, max: 1_000_000 }),
    payee: anyText({ maxLength: 12 }).map((text) => text.replaceAll('\0', '')),
    original_name: fc.option(fc.string({ maxLength: 5 })),
    notes: fc.option(fc.string({ unit: 'grapheme', maxLength: 12 })),
    category: fc.option(fc.constantFrom(0, 1, 2, 3)),
    manualAccount: fc.option(fc.constantFrom(0, 1)),
    plaidAccount: fc.option(fc.constantFrom(0, 1)),
    tags: fc.uniqueArray(fc.constantFrom(0, 1)),
    status: fc.constantFrom('reviewed', 'unreviewed', 'delete_pending'),
    is_pending: mostlyFalse(),
    source: fc.constantFrom('api', 'csv', 'plaid', null),
    external_id: fc.constant(null),
    is_split_parent: mostlyFalse(),
    is_group_parent: mostlyFalse(),
    splitParent: fc.option(fc.nat(59), { freq: 4 }),
    groupParent: fc.option(fc.nat(59), { freq: 4 }),
    plaid_metadata: fc.constantFrom(null, '{"a":1}'),
    custom_metadata: fc.constantFrom(null, '{"b":[2,"ü"]}'),
  });
}

function mostlyFalse(): fc.Arbitrary<boolean> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  );
}

/** Applies the rules of the schema to a generated row: at most one account, and parents before children. */
function withParents(row: DemoTransaction, index: number): DemoTransaction {
  const earlier = (parent: number | null): number | null =>
    parent === null || parent >= index ? null : parent;
  return {
    ...row,
    plaidAccount: row.manualAccount === null ? row.plaidAccount : null,
    splitParent: earlier(row.splitParent),
    groupParent: earlier(row.groupParent),
  };
}

const starts = ['0001-01-01', '2023-12-31', '2024-01-01', '2024-01-15', '2024-02-29'];
const ends = ['2023-12-30', '2024-01-01', '2024-01-31', '2024-02-29', '2024-12-31', '9999-12-31'];
const dates = { start_date: fc.constantFrom(...starts), end_date: fc.constantFrom(...ends) };
const kinds = {
  include_pending: fc.boolean(),
  include_split_parents: fc.boolean(),
  include_group_children: fc.boolean(),
};
/** What every query has besides the kinds. All else may be omitted. */
const page = {
  limit: fc.integer({ min: 1, max: 30 }),
  offset: fc.constant(0),
  include_children: fc.boolean(),
  include_metadata: fc.boolean(),
  include_files: fc.boolean(),
};
const requiredKeys = Object.keys({ ...page, ...kinds }) as (
  keyof typeof page | keyof typeof kinds
)[];

const filteredArbitrary: fc.Arbitrary<TransactionQuery> = fc.record(
  {
    ...page,
    ...kinds,
    ...dates,
    created_since: fc.constantFrom('2023-12-31T12:00:00.000Z', '2024-01-01T00:00:00.000Z'),
    updated_since: fc.constantFrom('2023-12-30T12:00:00.000Z', '2024-02-29T11:59:59.999Z'),
    manual_account_id: fc.constantFrom(-1, 0, 1, 99),
    plaid_account_id: fc.constantFrom(-1, 0, 1, 99),
    recurring_id: fc.constantFrom(-1, 99),
    category_id: fc.constantFrom(-1, 0, 1, 2, 3, 99),
    tag_id: fc.constantFrom(0, 1, 99),
    is_group_parent: fc.boolean(),
    status: fc.constantFrom('reviewed', 'unreviewed', 'delete_pending'),
    is_pending: fc.boolean(),
  },
  { requiredKeys },
);

/** The most common query, for which the page engine uses the counts: only listed rows, and no filter but dates. */
const plainArbitrary: fc.Arbitrary<TransactionQuery> = fc
  .record({ ...page, ...dates }, { requiredKeys: Object.keys(page) as (keyof typeof page)[] })
  .map((query) => ({
    ...query,
    include_pending: false,
    include_split_parents: false,
    include_group_children: false,
  }));

/** A query of any kinds of rows, without a filter but dates. */
export const kindsArbitrary: fc.Arbitrary<TransactionQuery> = fc.record(
  { ...page, ...kinds, ...dates, is_pending: fc.boolean() },
  { requiredKeys },
);

/** A query whose ids are indexes into the book: -1 means "none", 99 is a record that does not exist. */
export const queryArbitrary: fc.Arbitrary<TransactionQuery> = fc.oneof(
  { weight: 2, arbitrary: filteredArbitrary },
  { weight: 1, arbitrary: plainArbitrary },
  { weight: 1, arbitrary: kindsArbitrary },
);

/** Queries with every filter of the engine; only v1 sends the last two. */
export const engineQueryArbitrary: fc.Arbitrary<TransactionQuery> = fc
  .tuple(
    queryArbitrary,
    fc.record(
      { is_reviewed: fc.boolean(), group_parent_id: fc.constantFrom(0, 1, 2, 99) },
      { requiredKeys: [] },
    ),
  )
  .map(([query, more]) => ({ ...query, ...more }));

/** A change of one row, by its index. */
export interface Edit {
  readonly row: number;
  /** Columns with the values that they get; null removes the row. */
  readonly values: Partial<Pick<DemoTransaction, 'status' | 'date' | 'is_pending'>> | null;
}

export const editArbitrary: fc.Arbitrary<Edit> = fc.record({
  row: fc.nat(59),
  values: fc.oneof(
    fc.record({ status: fc.constantFrom('reviewed', 'unreviewed', 'delete_pending') }),
    fc.record({ date: fc.constantFrom(...days) }),
    fc.record({ is_pending: fc.boolean() }),
    fc.constant(null),
  ),
});

/** A row of the model that was perhaps changed or removed. */
interface ModelRow extends DemoTransaction {
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly isRemoved?: boolean;
}

/** A book whose rows were perhaps changed. */
export interface ModelBook extends Omit<DemoBook, 'transactions'> {
  readonly transactions: readonly ModelRow[];
}

/** Returns the book after a change at a time. */
export function edited(book: ModelBook, { row, values }: Edit, at: string): ModelBook {
  const transactions = book.transactions.map((each, index): ModelRow => {
    if (index !== row || each.isRemoved === true) return each;
    if (values === null) return { ...each, isRemoved: true };
    return { ...each, createdAt: each.createdAt ?? madeAtOf(each), updatedAt: at, ...values };
  });
  return { ...book, transactions };
}

function madeAtOf({ date }: DemoTransaction): string {
  return `${date}T12:00:00.000Z`;
}

/** Returns the indexes of the rows that a query lists, in the order of the list. */
export function listModel(book: ModelBook, query: TransactionQuery): number[] {
  return book.transactions
    .map((row, index) => ({ row, index }))
    .filter(({ row }) => row.isRemoved !== true && isShown(row, query) && matches(book, row, query))
    .sort((a, b) =>
      a.row.date === b.row.date ? b.index - a.index : a.row.date < b.row.date ? 1 : -1,
    )
    .map(({ index }) => index);
}

function isShown(row: DemoTransaction, query: TransactionQuery): boolean {
  if (query.is_pending !== undefined && row.is_pending !== query.is_pending) return false;
  if (query.is_pending === undefined && row.is_pending && !query.include_pending) return false;
  if (row.is_split_parent && !query.include_split_parents) return false;
  return row.groupParent === null || query.include_group_children;
}

function matches(book: ModelBook, row: ModelRow, query: TransactionQuery): boolean {
  const { createdAt = madeAtOf(row), updatedAt = madeAtOf(row) } = row;
  return (
    (query.start_date === undefined || row.date >= query.start_date) &&
    (query.end_date === undefined || row.date <= query.end_date) &&
    (query.created_since === undefined || createdAt > query.created_since) &&
    (query.updated_since === undefined || updatedAt > query.updated_since) &&
    isRecord(row.manualAccount, query.manual_account_id) &&
    isRecord(row.plaidAccount, query.plaid_account_id) &&
    isRecord(null, query.recurring_id) &&
    inCategory(book, row, query.category_id) &&
    (query.tag_id === undefined || row.tags.includes(query.tag_id)) &&
    (query.is_group_parent === undefined || row.is_group_parent === query.is_group_parent) &&
    (query.status === undefined || row.status === query.status) &&
    (query.is_reviewed === undefined || (row.status === 'reviewed') === query.is_reviewed) &&
    (query.group_parent_id === undefined || row.groupParent === query.group_parent_id)
  );
}

function isRecord(index: number | null, wanted: number | undefined): boolean {
  if (wanted === undefined) return true;
  return wanted === -1 ? index === null : index === wanted;
}

function inCategory(book: ModelBook, row: DemoTransaction, wanted: number | undefined): boolean {
  if (isRecord(row.category, wanted)) return true;
  return row.category !== null && book.categories[row.category]?.group === wanted;
}
