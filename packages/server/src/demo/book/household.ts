import { monthNames } from './calendar.ts';
import type {
  DemoBook,
  DemoTransaction,
  DemoBudget,
  DemoRecurringItem,
  DemoRule,
} from './demo-book.ts';
import { trips, readTable } from './spending.ts';

/**
 * key | name | type | subtype | currency | balance in cents. Synced accounts have a mask. Accounts with an `id`, the
 * prefix of their external ids, get their rows from files. `opened` is the first month with a known balance; without it
 * there is one for every month.
 */
const accountTable = readTable(`
creditUnion | Credit Union Checking | cash | checking | usd | 421863 | institution=Cedar Valley Credit Union | id=CVCU
savings | Rainy Day Savings | cash | savings | usd | 6841705 | institution=Cedar Valley Credit Union | id=RDS
wallet | Cash Wallet | cash | physical cash | usd | 34700
euro | Euro Account | cash | checking | eur | 712844 | institution=Banque Rivage | source=api | opened=2018-03
brokerage | Index Fund | investment | brokerage | usd | 12835210 | institution=Plumb Line Investing | source=api
car | Family Car | vehicle | automobile | usd | 1180000
studentLoan | Student Loan | loan | student | usd | 0 | institution=Scholars Loan Servicing | id=SLS
| closed=2022-07-31
checking | Everyday Checking | depository | checking | usd | 1429447 | institution=First Harbor Bank | mask=4821
travelCard | Voyager Rewards Card | credit | credit card | usd | 0 | institution=First Harbor Bank | mask=7730
cashBackCard | Juniper Cash Back | credit | credit card | usd | 0 | institution=Juniper Card Services | mask=0956
| opened=2018-05
`);

/** The account and the source of its rows, and the prefix of external ids for rows from files. */
export type Place = Pick<DemoTransaction, 'manualAccount' | 'plaidAccount' | 'source'> & {
  readonly idPrefix?: string;
};

const nowhere = { manualAccount: null, plaidAccount: null };
/** The place of each account by its key; `cash` belongs to none. */
export const places = new Map<string, Place>([['cash', { ...nowhere, source: 'manual' }]]);
export const manualAccounts: DemoBook['manualAccounts'][number][] = [];
/** The synced accounts by their keys. */
export const plaidAccounts = new Map<string, DemoBook['plaidAccounts'][number]>();
/** The first month with a known balance, `YYYY-MM`, by the name of the account. */
export const openedIn = new Map<string, string>();

for (const { cells, options } of accountTable) {
  const [key = '', name = '', type = '', subtype = '', currency = '', cents] = cells;
  const { mask, institution, id: idPrefix, source, opened, closed: closed_on } = options;
  if (opened !== undefined) openedIn.set(name, opened);
  const account = { name, type, subtype, currency, balance: Number(cents) * 100 };
  if (mask !== undefined) {
    places.set(key, { ...nowhere, plaidAccount: plaidAccounts.size, source: 'plaid' });
    plaidAccounts.set(key, { ...account, mask, institution_name: institution ?? '' });
    continue;
  }
  const place = { ...nowhere, manualAccount: manualAccounts.length };
  if (idPrefix !== undefined) places.set(key, { ...place, source: 'csv', idPrefix });
  else places.set(key, { ...place, source: source === 'api' ? 'api' : 'manual' });
  const closed = closed_on === undefined ? {} : { closed_on };
  manualAccounts.push({ ...account, institution_name: institution ?? null, ...closed });
}

/** group, if any | category | … The flag of a group applies to its categories, and so does having an order. */
const categoryTable = readTable(`
Income | order=0 | flag=income | Salary | Bonus | Freelance | Interest | Dividends | Tax Refunds
Home | order=1 | Rent | Mortgage | Electricity | Heating Gas | Water & Waste | Internet & Phone
| Household Supplies | Repairs & Garden
Food & Drink | order=2 | Groceries | Restaurants | Coffee Shops | Takeaway | Bars
Getting Around | Fuel | Public Transit | Taxi | Parking & Tolls | Car Care
Family | Child Care | Kids | Pets
Health | Doctor & Dentist | Pharmacy | Gym | Personal Care
Leisure & Travel | Subscriptions | Books & Games | Events | Flights | Lodging | Sightseeing
Transfers | order=9 | flag=excluded | description=Neither earned nor spent | Between Accounts | Card Payments
| Loan Payments | Cash Withdrawals
- | Clothing | Gifts | Donations | Taxes | Insurance | Bank Fees | Electronics | Work Expenses
`);

/** Every group followed by its categories, then the categories without a group. */
export const categories: DemoBook['categories'][number][] = [];

for (const { cells, options } of categoryTable) {
  const [name = '', ...members] = cells;
  const { description = null, flag, order } = options;
  const flags = {
    is_income: flag === 'income',
    exclude_from_budget: flag !== undefined,
    exclude_from_totals: flag === 'excluded',
  };
  const group = name === '-' ? null : categories.length;
  const place = { group: null, order: order === undefined ? null : Number(order) };
  if (group !== null) categories.push({ name, description, ...flags, is_group: true, ...place });
  for (const [at, member] of members.entries()) {
    const place = { group, order: order === undefined ? null : at };
    categories.push({ name: member, description: null, ...flags, is_group: false, ...place });
  }
}

/** name, with description and colors; trips have their own tags. */
const tagTable = readTable(`
reimbursable | description=The employer owes us this
tax-deductible | description=Collect for the yearly return | background=DFF5D8
warranty | description=Keep the receipt
date night | text=5C1A2E | background=FBD9E0
splurge
`);

/** The tags of the trips, then the others. */
export const tags: DemoBook['tags'] = [...trips, ...tagTable].map(({ cells, options }) => ({
  name: cells[0]!,
  description: options.description ?? null,
  text_color: options.text ?? null,
  background_color: options.background ?? null,
}));

const indexes = new Map(
  [categories, tags].flatMap((list) => list.map(({ name }, at) => [name, at] as const)),
);

/** Returns the index of the category or tag with this name in its list. Throws a RangeError if there is none. */
export function indexOf(name: string): number {
  const index = indexes.get(name);
  if (index === undefined) throw new RangeError(`"${name}" is not in the tables`);
  return index;
}

/** Percent of the usual amount, January to December. */
export const seasons: Readonly<Record<string, readonly number[]>> = {
  electricity: [115, 105, 95, 85, 80, 95, 135, 140, 100, 80, 95, 110],
  heating: [210, 190, 150, 100, 60, 40, 30, 30, 45, 80, 135, 185],
  cash: [100, 50, 75, 100, 75, 125, 200, 150, 50, 75, 100, 250],
  christmas: [60, 90, 80, 90, 130, 110, 80, 80, 80, 90, 160, 420],
};

/**
 * Transactions by the calendar: payee | category | account | month and cents, from that month on | …
 *
 * Negative cents are money in, 0 is a pause. `due` are days of the month, `every` is in months (default 1), `until` is
 * the last month; without `due` the months are dates. The price varies by up to `waver` percent. `to` is the other
 * account of a transfer, `as` the payee there; a payment to a card pays its statement.
 */
export const calendar = readTable(`
Maple Court Apartments | Rent | creditUnion | due=1 | until=2020-09 | 2016-11 145000 | 2018-11 155000 | 2019-11 159500
Keystone Home Loans | Mortgage | creditUnion | due=1 | 2020-11 218240 | 2022-01 221975 | 2024-01 233150
Bluewater Electric Cooperative | Electricity | checking | due=9 | waver=9 | seasons=electricity | 2016-11 6400 | 2020-11 9800
Tri-Valley Natural Gas | Heating Gas | checking | due=14 | waver=8 | seasons=heating | 2016-11 3800 | 2020-11 6900
City Water Bureau | Water & Waste | creditUnion | due=18 | every=2 | waver=12 | 2020-12 9200 | 2022-07 9900
Copperline Internet | Internet & Phone | cashBackCard | due=6 | 2016-11 4999 | 2018-03 5499 | 2020-11 6999
Beacon Mutual Homeowners | Insurance | checking | due=3 | every=12 | 2020-11 118400 | 2022-11 139600
County Treasurer – Property Tax | Taxes | creditUnion | due=13 | every=12 | tags=tax-deductible | 2021-11 362020
Lantern Video | Subscriptions | travelCard | due=4 | 2016-11 999 | 2017-11 1099 | 2020-11 1399 | 2024-01 1799
Granite Hall Climbing Gym | Gym | cashBackCard | due=2 | 2017-02 6900 | 2020-04 0 | 2021-06 7400
Pawsafe Pet Insurance | Pets | cashBackCard | due=23 | 2018-04 2875 | 2020-04 3240 | 2022-04 3910 | 2024-04 4685
Acorn House Child Care | Child Care | creditUnion | due=5 | tags=tax-deductible | 2021-09 118000 | 2025-09 46500
Banque Rivage – frais de tenue | Bank Fees | euro | due=30 | every=3 | currency=eur | 2018-03 600 | 2022-03 750
Brightwater Software Payroll | Salary | checking | due=15, 30 | until=2021-05 | 2016-11 -226318 | 2018-01 -242620 | 2020-01 -263405
Northlight Health Systems Payroll | Salary | checking | due=15, 30 | 2021-06 -296190 | 2023-01 -318080 | 2025-01 -341915
Fernwood School District | Salary | creditUnion | due=10, 25 | 2018-09 -97850 | 2021-09 -106785 | 2024-09 -120995
Year-End Bonus | Bonus | checking | due=18 | every=12 | waver=18 | 2017-03 -310000 | 2022-03 -450000
Studio Marée, Lyon | Freelance | euro | due=12 | every=3 | waver=25 | currency=eur | 2018-03 -18000 | 2022-03 -24500
Interest Paid | Interest | savings | due=31 | waver=12 | 2016-11 -410 | 2019-01 -1650 | 2020-05 -580 | 2022-09 -5870
Quarterly Dividend – Total Market Fund | Dividends | brokerage | due=22 | every=3 | 2017-03 -4120 | 2020-03 -13875 | 2023-03 -26615
Expense Reimbursement | Work Expenses | checking | due=26 | every=3 | waver=35 | tags=reimbursable | 2017-02 -18400
Transfer to Rainy Day Savings | Between Accounts | checking | to=savings | as=From First Harbor Bank | due=16
| 2016-11 60000 | 2018-09 90000 | 2019-01 145000 | 2020-01 235000 | 2020-11 130000 | 2022-01 70000 | 2025-09 130000
Transfer to Credit Union | Between Accounts | checking | to=creditUnion | as=From First Harbor Bank | due=28
| 2016-11 152000 | 2018-09 0 | 2020-11 85000 | 2021-09 204000 | 2022-11 225000 | 2024-11 280000 | 2025-09 152000
Plumb Line Investing | Between Accounts | checking | to=brokerage | as=Contribution | due=7 | 2017-02 15000 | 2018-09 85000 | 2020-11 45000
Scholars Loan Servicing | Loan Payments | checking | to=studentLoan | as=Thank you | due=10 | 2016-11 31250 | 2022-07 0
Voyager Card Payment | Card Payments | checking | to=travelCard | as=Payment Thank You | due=5 | 2016-11 2500
Juniper Card Autopay | Card Payments | checking | to=cashBackCard | as=Payment Thank You | due=8 | 2018-06 2500
ATM Withdrawal | Cash Withdrawals | checking | to=wallet | as=Cash from ATM | due=17 | seasons=cash | 2016-11 6400
Scholars Loan Servicing | Loan Payments | savings | to=studentLoan | as=Paid off! 🎉 | 2022-07-10 4386170
Federal Tax Refund | Tax Refunds | checking | 2017-03-08 -88400 | 2020-03-04 -35700 | 2021-03-24 -214800 | 2024-03-06 -127300
Second Chance Animal Shelter | Pets | cashBackCard | notes=Welcome home, Biscuit 🐶 | 2018-04-07 27500
Orchard Hill Barn & Gardens | Events | savings | notes=The wedding 💍 | 2019-09-14 645000
Pioneer Title & Escrow | Mortgage | savings | notes=Down payment and closing costs 🏡 | 2020-10-16 4168275
Meadowlark Birth Center | Doctor & Dentist | savings | notes=Hello, little one 👶 | 2021-03-02 318540
Summit Roofing | Repairs & Garden | savings | notes=Ten years on the workmanship | tags=warranty | 2023-02-27 742500
Spoke & Chain Bicycles | Electronics | travelCard | notes=Cargo bike | tags=warranty, splurge | 2026-05-09 248900
`);

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
  ({ cells: [payee = '', account = '', cents, anchor_date = ''], options }) => {
    const { manualAccount, plaidAccount } = places.get(account)!;
    const { description = '', as = null, notes = null, category, status } = options;
    return {
      description,
      payee,
      amount: Number(cents) * 100,
      currency: 'usd',
      anchor_date,
      status: status === 'suggested' ? 'suggested' : 'reviewed',
      source: status === 'suggested' ? 'system' : 'manual',
      manualAccount,
      plaidAccount,
      override_payee: as,
      override_notes: notes,
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
    const budget = { category: indexOf(category), start_date: `${month}-01`, amount, notes };
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
      institution_name: null,
      symbol: 'btc',
      coingecko_id: 'bitcoin',
      quantity: '0.350000000000000000',
      to_base: 227_500_000,
    },
  ],
  syncedCrypto: [
    {
      provider: 'kraken',
      display_name: 'Kraken',
      balances: [
        {
          symbol: 'eth',
          name: 'Ether',
          coingecko_id: 'ethereum',
          quantity: '2.500000000000000000',
          to_base: 75_000_000,
        },
        {
          symbol: 'sol',
          name: 'Solana',
          coingecko_id: 'solana',
          quantity: '12.750000000000000000',
          to_base: 19_125_000,
        },
      ],
    },
  ],
};
