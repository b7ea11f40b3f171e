import type { DemoCategory } from './demo-book.ts';

/** A group of categories; its flags hold for its members too. */
const groups = [
  {
    name: 'Income',
    flag: 'income',
    order: 0,
    members: ['Salary', 'Bonus', 'Freelance', 'Interest', 'Dividends', 'Tax Refunds'],
  },
  {
    name: 'Home',
    flag: null,
    order: 1,
    members: [
      'Rent',
      'Mortgage',
      'Electricity',
      'Heating Gas',
      'Water & Waste',
      'Internet & Phone',
      'Household Supplies',
      'Repairs & Garden',
    ],
  },
  {
    name: 'Food & Drink',
    flag: null,
    order: 2,
    members: ['Groceries', 'Restaurants', 'Coffee Shops', 'Takeaway', 'Bars'],
  },
  {
    name: 'Getting Around',
    flag: null,
    order: null,
    members: ['Fuel', 'Public Transit', 'Taxi', 'Parking & Tolls', 'Car Care'],
  },
  { name: 'Family', flag: null, order: null, members: ['Child Care', 'Kids', 'Pets'] },
  {
    name: 'Health',
    flag: null,
    order: null,
    members: ['Doctor & Dentist', 'Pharmacy', 'Gym', 'Personal Care'],
  },
  {
    name: 'Leisure & Travel',
    flag: null,
    order: null,
    members: ['Subscriptions', 'Books & Games', 'Events', 'Flights', 'Lodging', 'Sightseeing'],
  },
  {
    name: 'Transfers',
    flag: 'excluded',
    order: 9,
    members: ['Between Accounts', 'Card Payments', 'Loan Payments', 'Cash Withdrawals'],
  },
] as const;

const ungrouped = [
  'Clothing',
  'Gifts',
  'Donations',
  'Taxes',
  'Insurance',
  'Bank Fees',
  'Electronics',
  'Work Expenses',
] as const;

export type CategoryName = (typeof groups)[number]['members'][number] | (typeof ungrouped)[number];

const orders: Partial<Record<CategoryName, number>> = { Salary: 0, Bonus: 1, Groceries: 0 };
const descriptions: Partial<Record<CategoryName, string>> = {
  'Work Expenses': 'Laid out for the employer and paid back, usually within the quarter',
};

const indices = new Map<string, number>(listCategories().map(({ name }, index) => [name, index]));

/** The index of the category in the book's list. */
export function categoryIndex(name: CategoryName): number {
  return indices.get(name)!;
}

/** Every group followed by its members, then the categories without a group. */
export function listCategories(): DemoCategory[] {
  const list: DemoCategory[] = [];
  for (const group of groups) {
    const flags = {
      isIncome: group.flag === 'income',
      excludeFromBudget: group.flag !== null,
      excludeFromTotals: group.flag === 'excluded',
    };
    const index = list.length;
    list.push({
      ...flags,
      name: group.name,
      description: null,
      isGroup: true,
      group: null,
      order: group.order,
    });
    list.push(...group.members.map((name) => ({ ...plainCategory(name), ...flags, group: index })));
  }
  return [...list, ...ungrouped.map(plainCategory)];
}

function plainCategory(name: CategoryName): DemoCategory {
  return {
    name,
    description: descriptions[name] ?? null,
    isIncome: false,
    excludeFromBudget: false,
    excludeFromTotals: false,
    isGroup: false,
    group: null,
    order: orders[name] ?? null,
  };
}
