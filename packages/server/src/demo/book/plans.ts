import { monthNames } from './calendar.ts';
import type { DemoBook, DemoBudget, DemoRecurringItem, DemoRule } from './demo-book.ts';
import { indexOf, places } from './household.ts';
import { readTable } from './text-table.ts';

/**
 * Recurring items, each of them monthly: payee | account | cents | first date. `as`, `notes` and `category` are what
 * linked transactions show. The last salary of the book is pending, so it is missing.
 */
const recurringTable = readTable(`
Keystone Home Loans | creditUnion | 233150 | 2024-01-01 | description=Mortgage | notes=Thirty years, until 2050
Lantern Video | travelCard | 1799 | 2024-01-04 | description=Films | as=Lantern Video, family plan | category=Subscriptions
Northlight Health Systems Payroll | checking | -341915 | 2025-01-30 | description=Salary, second half
Copperline Internet | cashBackCard | 6999 | 2020-11-06 | description=Every month on the 6th | status=suggested
`);

/** The recurring items: reviewed ones, then a suggestion of the service. */
export const recurringItems: readonly DemoRecurringItem[] = recurringTable.map(
  ({ cells: [payee = '', account = '', cents, anchorDate = ''], options }) => {
    const { manualAccount, plaidAccount } = places.get(account)!;
    const { description = '', as = null, notes = null, category, status } = options;
    return {
      description,
      payee,
      amount: Number(cents) * 100,
      currency: 'usd',
      anchorDate,
      status: status === 'suggested' ? 'suggested' : 'reviewed',
      source: status === 'suggested' ? 'system' : 'manual',
      manualAccount,
      plaidAccount,
      overridePayee: as,
      overrideNotes: notes,
      overrideCategory: category === undefined ? null : indexOf(category),
    };
  },
);

/** category | month and dollars, from that month on | …; 0 ends it. `notes` are those of the first month. */
const budgetTable = readTable(`
Rent | 2016-11 1450 | 2018-11 1550 | 2019-11 1595 | 2020-10 0
Mortgage | 2020-11 2185 | 2022-01 2220 | 2024-01 2335 | notes=The house 🏡
Electricity | 2016-11 65 | 2020-11 105
Groceries | 2016-11 650 | 2019-01 700 | 2022-01 850 | 2024-01 900
Restaurants | 2016-11 350 | 2020-04 80 | 2021-06 400 | 2023-01 450
Coffee Shops | 2016-11 60 | 2022-01 75
Takeaway | 2016-11 160 | 2020-04 300 | 2021-04 200
Fuel | 2016-11 150 | 2022-01 190
Subscriptions | 2016-11 10 | 2017-11 11 | 2020-11 14 | 2024-01 18
Pets | 2018-04 120 | notes=Biscuit 🐶
Child Care | 2021-09 1180 | 2025-09 465
Clothing | 2016-11 150 | 2021-01 200
Gifts | 2016-11 60
Food & Drink | 2022-01 1900 | notes=All of it together
`);

/** The budgets of every month. */
export const budgets: readonly DemoBudget[] = budgetTable.flatMap(({ cells, options }) => {
  const [category = '', ...texts] = cells;
  const steps = texts.map((cell) => cell.split(' ') as [from: string, dollars: string]);
  const first = steps[0]![0];
  return monthNames.flatMap((month) => {
    const amount = Number(steps.findLast(([from]) => from <= month)?.[1] ?? 0) * 10_000;
    const notes = month === first ? (options.notes ?? null) : null;
    const budget = { category: indexOf(category), startDate: `${month}-01`, amount, notes };
    return amount === 0 ? [] : [budget];
  });
});

/** The rules for new transactions. */
export const rules: readonly DemoRule[] = [
  {
    name: 'Fuel of every branch',
    payee: { operator: 'starts_with', value: 'Roadrunner Fuel' },
    newPayee: 'Roadrunner Fuel',
    newCategory: indexOf('Fuel'),
  },
  {
    name: 'The employer pays for conferences',
    payee: { operator: 'contains', value: 'conference' },
    newCategory: indexOf('Work Expenses'),
    newTags: [indexOf('reimbursable')],
  },
  {
    name: 'Small purchases need no review',
    amount: { max: 100_000, sign: 'debit' },
    plaidAccount: places.get('travelCard')!.plaidAccount!,
    reviewed: true,
  },
];

/** Crypto assets, with invented prices. */
export const crypto: Pick<Required<DemoBook>, 'manualCrypto' | 'syncedCrypto'> = {
  manualCrypto: [
    {
      name: 'Hardware Wallet',
      institutionName: null,
      symbol: 'btc',
      coingeckoId: 'bitcoin',
      quantity: '0.350000000000000000',
      toBase: 227_500_000,
    },
  ],
  syncedCrypto: [
    {
      provider: 'kraken',
      displayName: 'Kraken',
      balances: [
        {
          symbol: 'eth',
          name: 'Ether',
          coingeckoId: 'ethereum',
          quantity: '2.500000000000000000',
          toBase: 75_000_000,
        },
        {
          symbol: 'sol',
          name: 'Solana',
          coingeckoId: 'solana',
          quantity: '12.750000000000000000',
          toBase: 19_125_000,
        },
      ],
    },
  ],
};
