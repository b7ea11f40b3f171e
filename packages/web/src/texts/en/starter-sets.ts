/** A category, or a group with the names of its members. */
export interface StarterCategory {
  readonly name: string;
  readonly is_income?: boolean;
  readonly members?: readonly string[];
}

/** Categories with which a new book begins. */
export interface StarterSet {
  readonly name: string;
  readonly categories: readonly StarterCategory[];
}

const salary = { name: 'Salary', is_income: true };
const otherIncome = { name: 'Other income', is_income: true };
const home = {
  name: 'Home',
  members: ['Rent', 'Electricity & heating', 'Internet & phone', 'Household goods'],
};
const food = { name: 'Food', members: ['Groceries', 'Restaurants'] };
const transport = { name: 'Transport', members: ['Fuel', 'Public transport', 'Car'] };
const personal = { name: 'Personal', members: ['Health', 'Clothes', 'Leisure', 'Gifts', 'Travel'] };
const fees = { name: 'Insurance & fees', members: ['Insurance', 'Bank fees'] };

/** The starter sets, the most usual first. */
export const starterSets: readonly StarterSet[] = [
  {
    name: 'Household',
    categories: [salary, otherIncome, home, food, transport, personal, fees],
  },
  {
    name: 'Freelancer',
    categories: [
      { name: 'Clients', is_income: true },
      otherIncome,
      {
        name: 'Business',
        members: ['Equipment', 'Software', 'Office', 'Business travel', 'Advertising'],
      },
      { name: 'Taxes', members: ['Income tax', 'Sales tax', 'Social insurance'] },
      home,
      food,
      transport,
      personal,
      fees,
    ],
  },
  {
    name: 'Minimal',
    categories: [
      { name: 'Income', is_income: true },
      ...['Home', 'Groceries', 'Transport', 'Leisure', 'Other'].map((name) => ({ name })),
    ],
  },
];

/** The texts of the choice of a starter set. */
export const starterTexts = {
  title: 'Begin with a set of categories',
  hint: 'Change it later as you like. Or begin with none: a new category is created where you first need it.',
  use: (name: string) => `Use “${name}”`,
  made: (count: number) => `${count} categories created`,
} as const;
