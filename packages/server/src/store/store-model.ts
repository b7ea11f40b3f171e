import fc from 'fast-check';
import type { DemoBook, DemoTransaction } from '../records/demo/demo-book.ts';
import type { ExportedTransaction } from '../records/export.ts';
import type { Book } from '../records/identity.ts';
import type { Store } from '../records/store.ts';
import type { TransactionQuery } from '../records/transaction-query.ts';

/** A book small enough to be listed by hand: what every engine's pages are compared with. */
export const bookArbitrary: fc.Arbitrary<DemoBook> = fc
  .array(transactionArbitrary(), { maxLength: 60, size: 'max' })
  .map((rows) => ({
    name: 'Model',
    primaryCurrency: 'usd',
    manualAccounts: ['Checking', 'Savings'].map(manualAccount),
    plaidAccounts: ['Card', 'Synced'].map(plaidAccount),
    categories: [
      category('Home', true, null),
      category('Rent', false, 0),
      category('Power', false, 0),
      category('Food', false, null),
    ],
    tags: ['holiday', 'work'].map((name) => ({
      name,
      description: null,
      textColor: null,
      backgroundColor: null,
    })),
    transactions: rows.map(withParents),
  }));

function transactionArbitrary(): fc.Arbitrary<DemoTransaction> {
  return fc.record({
    // Few days, so that ties are the rule, around ends of months and years.
    date: fc.constantFrom(
      '2023-12-30',
      '2023-12-31',
      '2024-01-01',
      '2024-02-29',
      '2024-03-01',
      '9999-12-31',
      '0001-01-01',
    ),
    amount: fc.integer({ min: -(2 ** 53 - 1), max: 2 ** 53 - 1 }),
    currency: fc.constantFrom('usd', 'eur'),
    toBase: fc.integer({ min: -1_000_000, max: 1_000_000 }),
    payee: fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\0', '')),
    originalName: fc.option(fc.string({ maxLength: 5 })),
    notes: fc.option(fc.string({ unit: 'grapheme', maxLength: 12 })),
    category: fc.option(fc.constantFrom(0, 1, 2, 3)),
    manualAccount: fc.option(fc.constantFrom(0, 1)),
    plaidAccount: fc.option(fc.constantFrom(0, 1)),
    tags: fc.uniqueArray(fc.constantFrom(0, 1)),
    status: fc.constantFrom('reviewed', 'unreviewed', 'delete_pending'),
    isPending: mostlyFalse(),
    source: fc.constantFrom('api', 'csv', 'plaid', null),
    externalId: fc.constant(null),
    isSplitParent: mostlyFalse(),
    isGroupParent: mostlyFalse(),
    splitParent: fc.option(fc.nat(59), { freq: 4 }),
    groupParent: fc.option(fc.nat(59), { freq: 4 }),
    plaidMetadata: fc.constantFrom(null, '{"a":1}'),
    customMetadata: fc.constantFrom(null, '{"b":[2,"ü"]}'),
  });
}

function mostlyFalse(): fc.Arbitrary<boolean> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  );
}

/** Makes a generated row keep the rules that the schema demands: one account at most, parents before children. */
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

function manualAccount(name: string): DemoBook['manualAccounts'][number] {
  return { name, type: 'cash', subtype: null, institutionName: null, currency: 'usd', balance: 0 };
}

function plaidAccount(name: string): DemoBook['plaidAccounts'][number] {
  return {
    name,
    type: 'credit',
    subtype: 'credit card',
    mask: '1234',
    institutionName: 'Bank',
    currency: 'usd',
    balance: 0,
  };
}

function category(
  name: string,
  isGroup: boolean,
  group: number | null,
): DemoBook['categories'][number] {
  return {
    name,
    description: null,
    isIncome: false,
    excludeFromBudget: false,
    excludeFromTotals: false,
    isGroup,
    group,
    order: null,
  };
}

const startDateArbitrary = fc.constantFrom(
  '0001-01-01',
  '2023-12-31',
  '2024-01-01',
  '2024-01-15',
  '2024-02-29',
);
const endDateArbitrary = fc.constantFrom(
  '2023-12-30',
  '2024-01-01',
  '2024-01-31',
  '2024-02-29',
  '2024-12-31',
  '9999-12-31',
);

/** What every query says; everything else may be left out. */
const requiredKeys: (
  | 'limit'
  | 'offset'
  | 'includePending'
  | 'includeSplitParents'
  | 'includeGroupChildren'
  | 'includeChildren'
  | 'includeMetadata'
  | 'includeFiles'
)[] = [
  ...(['limit', 'offset', 'includePending', 'includeSplitParents'] as const),
  ...(['includeGroupChildren', 'includeChildren', 'includeMetadata', 'includeFiles'] as const),
];

const filteredArbitrary: fc.Arbitrary<TransactionQuery> = fc.record(
  {
    limit: fc.integer({ min: 1, max: 30 }),
    offset: fc.constant(0),
    startDate: startDateArbitrary,
    endDate: endDateArbitrary,
    createdSince: fc.constantFrom('2023-12-31T12:00:00.000Z', '2024-01-01T00:00:00.000Z'),
    updatedSince: fc.constantFrom('2023-12-30T12:00:00.000Z', '2024-02-29T11:59:59.999Z'),
    manualAccountId: fc.constantFrom(-1, 0, 1, 99),
    plaidAccountId: fc.constantFrom(-1, 0, 1, 99),
    recurringId: fc.constantFrom(-1, 99),
    categoryId: fc.constantFrom(-1, 0, 1, 2, 3, 99),
    tagId: fc.constantFrom(0, 1, 99),
    isGroupParent: fc.boolean(),
    status: fc.constantFrom('reviewed', 'unreviewed', 'delete_pending'),
    isPending: fc.boolean(),
    includePending: fc.boolean(),
    includeSplitParents: fc.boolean(),
    includeGroupChildren: fc.boolean(),
    includeChildren: fc.boolean(),
    includeMetadata: fc.boolean(),
    includeFiles: fc.boolean(),
  },
  {
    requiredKeys,
  },
);

/** What nearly everybody asks for: no more than a range of dates, which engines answer in a way of its own. */
const plainArbitrary: fc.Arbitrary<TransactionQuery> = fc.record(
  {
    limit: fc.integer({ min: 1, max: 30 }),
    offset: fc.constant(0),
    startDate: startDateArbitrary,
    endDate: endDateArbitrary,
    includePending: fc.constant(false),
    includeSplitParents: fc.constant(false),
    includeGroupChildren: fc.constant(false),
    includeChildren: fc.boolean(),
    includeMetadata: fc.boolean(),
    includeFiles: fc.boolean(),
  },
  {
    requiredKeys,
  },
);

/** A query whose ids are still indexes into the book: -1 stands for none of that kind, 99 for no such record. */
export const queryArbitrary: fc.Arbitrary<TransactionQuery> = fc.oneof(
  { weight: 2, arbitrary: filteredArbitrary },
  { weight: 1, arbitrary: plainArbitrary },
);

/** The indexes of the rows that a query lists, in the order of the list. */
export function listModel(book: DemoBook, query: TransactionQuery): number[] {
  return book.transactions
    .map((row, index) => ({ row, index }))
    .filter(({ row }) => isShown(row, query) && matches(book, row, query))
    .sort((a, b) =>
      a.row.date === b.row.date ? b.index - a.index : a.row.date < b.row.date ? 1 : -1,
    )
    .map(({ index }) => index);
}

function isShown(row: DemoTransaction, query: TransactionQuery): boolean {
  if (query.isPending !== undefined && row.isPending !== query.isPending) return false;
  if (query.isPending === undefined && row.isPending && !query.includePending) return false;
  if (row.isSplitParent && !query.includeSplitParents) return false;
  return row.groupParent === null || query.includeGroupChildren;
}

function matches(book: DemoBook, row: DemoTransaction, query: TransactionQuery): boolean {
  const madeAt = `${row.date}T12:00:00.000Z`;
  return (
    (query.startDate === undefined || row.date >= query.startDate) &&
    (query.endDate === undefined || row.date <= query.endDate) &&
    (query.createdSince === undefined || madeAt > query.createdSince) &&
    (query.updatedSince === undefined || madeAt > query.updatedSince) &&
    isRecord(row.manualAccount, query.manualAccountId) &&
    isRecord(row.plaidAccount, query.plaidAccountId) &&
    isRecord(null, query.recurringId) &&
    inCategory(book, row, query.categoryId) &&
    (query.tagId === undefined || row.tags.includes(query.tagId)) &&
    (query.isGroupParent === undefined || row.isGroupParent === query.isGroupParent) &&
    (query.status === undefined || row.status === query.status)
  );
}

function isRecord(index: number | null, wanted: number | undefined): boolean {
  if (wanted === undefined) return true;
  return wanted === -1 ? index === null : index === wanted;
}

function inCategory(book: DemoBook, row: DemoTransaction, wanted: number | undefined): boolean {
  if (isRecord(row.category, wanted)) return true;
  return row.category !== null && book.categories[row.category]?.group === wanted;
}

/** Every transaction of a book, ascending by id. */
export async function exported(
  store: Store,
  book: Pick<Book, 'id'>,
): Promise<ExportedTransaction[]> {
  return await Array.fromAsync((await store.exportBook(book.id)).transactions);
}
