import type { fillDemo } from '../../packages/server/src/demo/fill.ts';

export type Book = Parameters<typeof fillDemo>[2];
export type BookRow = Book['transactions'][number];

/** The index of a record in the lists of {@link smallBook}. */
export const at = {
  wallet: 0,
  bank: 1,
  card: 0,
  home: 0,
  rent: 1,
  power: 2,
  salary: 3,
  food: 4,
  holiday: 0,
  work: 1,
} as const;

export const plainRow: Omit<BookRow, 'date' | 'payee'> = {
  amount: 10_000,
  currency: 'eur',
  to_base: 10_000,
  original_name: null,
  notes: null,
  category: null,
  manualAccount: null,
  plaidAccount: null,
  tags: [],
  status: 'reviewed',
  is_pending: false,
  source: 'manual',
  external_id: null,
  is_split_parent: false,
  is_group_parent: false,
  splitParent: null,
  groupParent: null,
  plaid_metadata: null,
  custom_metadata: null,
};

function row(date: string, payee: string, rest: Partial<BookRow> = {}): BookRow {
  return { ...plainRow, date, payee, ...rest };
}

const bankRent = { manualAccount: at.bank, category: at.rent };
const split = { source: 'split', manualAccount: at.wallet } as const;

const beforeSpring: readonly BookRow[] = [
  row('0001-01-01', 'first day of all'),
  row('2023-12-31', 'old year', { manualAccount: at.wallet, category: at.food }),
  row('2024-01-01', 'new year', { tags: [at.holiday], notes: 'with "quotes" and 🥂' }),
  row('2024-01-31', 'january rent', { ...bankRent, amount: 8_000_000, to_base: 8_000_000 }),
  row('2024-02-28', 'before the leap day', { status: 'unreviewed', external_id: 'x-1' }),
  row('2024-02-29', 'leap day a', { manualAccount: at.wallet, tags: [at.holiday, at.work] }),
  row('2024-02-29', 'leap day b', { manualAccount: at.bank, category: at.power }),
  row('2024-02-29', 'leap day c', { plaidAccount: at.card, category: at.food }),
  row('2024-02-29', 'leap day d', { category: at.food }),
];

const parentsFrom = beforeSpring.length;

const parents: readonly BookRow[] = [
  row('2024-03-06', 'split shopping', { manualAccount: at.wallet, is_split_parent: true }),
  row('2024-03-06', 'part for the kitchen', {
    ...split,
    category: at.food,
    splitParent: parentsFrom,
  }),
  row('2024-03-06', 'part for the house', { ...split, splitParent: parentsFrom }),
  row('2024-03-08', 'a trip', { is_group_parent: true, source: 'api', tags: [at.holiday] }),
  row('2024-03-07', 'train of the trip', {
    manualAccount: at.bank,
    groupParent: parentsFrom + 3,
    tags: [at.holiday],
  }),
  row('2024-03-08', 'hotel of the trip', { plaidAccount: at.card, groupParent: parentsFrom + 3 }),
];

const fromSpring: readonly BookRow[] = [
  row('2024-03-01', 'march rent', bankRent),
  row('2024-03-05', 'pending coffee', {
    is_pending: true,
    status: 'unreviewed',
    plaidAccount: at.card,
  }),
  row('2024-03-10', 'clocks forward in the west', { tags: [at.work], status: 'unreviewed' }),
  row('2024-03-31', 'clocks forward in the east', {
    plaidAccount: at.card,
    plaid_metadata: '{"id":"p1"}',
    custom_metadata: '{"seat":{"row":7}}',
  }),
  row('2024-04-30', 'wages', { amount: -28_400_000, to_base: -28_400_000, category: at.salary }),
  row('2024-05-01', 'abroad', { currency: 'usd', amount: 123_456, to_base: 111_111 }),
  row('2024-11-03', 'clocks back', { status: 'delete_pending', plaidAccount: at.card }),
  row('9999-12-31', 'last day of all'),
];

function category(name: string, rest: Partial<Book['categories'][number]> = {}) {
  return {
    name,
    description: null,
    is_income: false,
    exclude_from_budget: false,
    exclude_from_totals: false,
    is_group: false,
    group: null,
    order: null,
    ...rest,
  };
}

/** A book with records of every kind; payees are unique and identify their rows. */
export const smallBook: Book = {
  name: 'Small book',
  primaryCurrency: 'eur',
  manualAccounts: ['Wallet', 'Bank'].map((name) => ({
    name,
    type: 'cash',
    subtype: null,
    institution_name: null,
    currency: 'eur',
    balance: 0,
  })),
  plaidAccounts: [
    {
      name: 'Card',
      type: 'credit',
      subtype: 'credit card',
      mask: '4242',
      institution_name: 'A bank',
      currency: 'eur',
      balance: 0,
    },
  ],
  categories: [
    category('Home', { is_group: true, order: 2 }),
    category('Rent', { group: at.home, order: 2 }),
    category('Power', { group: at.home, order: 1 }),
    category('Salary', { is_income: true, order: 1 }),
    category('food', { description: 'What we eat' }),
    category('Cinema'),
    category('Empty group', { is_group: true }),
  ],
  tags: ['holiday', 'work'].map((name) => ({
    name,
    description: null,
    text_color: null,
    background_color: 'FFE7D4',
  })),
  transactions: [...beforeSpring, ...parents, ...fromSpring],
};

export const recurring = {
  payee: 'wages',
  id: 1,
  body: {
    transaction_criteria: {
      payee: 'wages',
      amount: '-2840',
      granularity: 'month',
      quantity: 1,
      anchor_date: '2024-04-30',
    },
  },
} as const;

export const attached = {
  payee: 'march rent',
  file: {
    name: 'receipt.pdf',
    type: 'application/pdf',
    size: 12,
    notes: null,
    // A millisecond after the records, because each change of a book has its own time.
    created_at: '2026-03-15T00:30:00.001Z',
  },
} as const;

/** Returns the payees of matching rows, newest first: by date, then by index in the book, both descending. */
export function payeesOf(isMatch: (row: BookRow) => boolean): string[] {
  return smallBook.transactions
    .map((each, place) => ({ ...each, place }))
    .filter(isMatch)
    .sort((a, b) => (a.date === b.date ? b.place - a.place : a.date < b.date ? 1 : -1))
    .map(({ payee }) => payee);
}

export function isListed(each: BookRow): boolean {
  return !each.is_pending && !each.is_split_parent && each.groupParent === null;
}
