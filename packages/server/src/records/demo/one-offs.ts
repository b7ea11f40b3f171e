import { payingAccount, type AccountName } from './accounts.ts';
import type { CategoryName } from './categories.ts';
import { dayOn } from './calendar.ts';
import { draftTransaction, type DraftUnit } from './draft-transaction.ts';
import type { TagName } from './tags.ts';

/** Cents are debit positive. */
type OneOff = readonly [
  date: string,
  payee: string,
  category: CategoryName,
  account: AccountName,
  cents: number,
  extra?: { readonly notes?: string; readonly tags?: readonly TagName[] },
];

const federal = 'Federal Tax Payment';
const federalRefund = 'Federal Tax Refund';
const state = 'State Dept of Revenue';
const treasurer = 'County Treasurer – Property Tax';

/** The turns of a household's life: taxes, a dog, a house, a child. */
const oneOffs: readonly OneOff[] = [
  ['2017-03-08', federalRefund, 'Tax Refunds', 'checking', -88400],
  ['2018-03-13', federalRefund, 'Tax Refunds', 'checking', -61200],
  [
    '2019-04-12',
    federal,
    'Taxes',
    'checking',
    72600,
    { notes: 'Withheld too little in the first year of two salaries' },
  ],
  ['2019-04-12', state, 'Taxes', 'checking', 21900],
  ['2020-03-04', federalRefund, 'Tax Refunds', 'checking', -35700],
  [
    '2021-03-24',
    federalRefund,
    'Tax Refunds',
    'checking',
    -214800,
    { notes: 'First return with the mortgage' },
  ],
  ['2022-03-09', federalRefund, 'Tax Refunds', 'checking', -302500],
  ['2023-04-14', federal, 'Taxes', 'checking', 41200],
  ['2023-03-30', state, 'Tax Refunds', 'checking', -18650],
  ['2024-03-06', federalRefund, 'Tax Refunds', 'checking', -127300],
  ['2025-04-15', federal, 'Taxes', 'checking', 88900],
  ['2026-03-18', federalRefund, 'Tax Refunds', 'checking', -46100],
  [
    '2019-04-05',
    'Ledger & Lamp Tax Preparation',
    'Taxes',
    'cashBackCard',
    28500,
    { tags: ['tax-deductible'] },
  ],
  [
    '2021-03-12',
    'Ledger & Lamp Tax Preparation',
    'Taxes',
    'cashBackCard',
    31500,
    { tags: ['tax-deductible'] },
  ],
  ['2021-11-12', treasurer, 'Taxes', 'creditUnion', 341260, { tags: ['tax-deductible'] }],
  ['2022-11-14', treasurer, 'Taxes', 'creditUnion', 351480, { tags: ['tax-deductible'] }],
  ['2023-11-13', treasurer, 'Taxes', 'creditUnion', 362020, { tags: ['tax-deductible'] }],
  ['2024-11-14', treasurer, 'Taxes', 'creditUnion', 372885, { tags: ['tax-deductible'] }],
  ['2025-11-13', treasurer, 'Taxes', 'creditUnion', 384070, { tags: ['tax-deductible'] }],

  [
    '2017-08-19',
    'Pixelwright Computers',
    'Electronics',
    'travelCard',
    134900,
    { tags: ['warranty'] },
  ],
  [
    '2018-04-07',
    'Second Chance Animal Shelter',
    'Pets',
    'cashBackCard',
    27500,
    { notes: 'Welcome home, Biscuit 🐶' },
  ],
  ['2019-02-23', 'Rosewater Jewelers', 'Gifts', 'travelCard', 289000, { tags: ['splurge'] }],
  [
    '2019-09-14',
    'Orchard Hill Barn & Gardens',
    'Events',
    'savings',
    645000,
    { notes: 'The wedding 💍' },
  ],
  ['2019-09-20', 'Wedding gifts deposit', 'Gifts', 'creditUnion', -382500],
  ['2020-04-15', 'Treasury Economic Impact Payment', 'Tax Refunds', 'checking', -240000],
  ['2020-09-04', 'True North Home Inspection', 'Repairs & Garden', 'checking', 52500],
  [
    '2020-10-16',
    'Pioneer Title & Escrow',
    'Mortgage',
    'savings',
    4168275,
    { notes: 'Down payment and closing costs 🏡' },
  ],
  ['2020-10-24', 'Two Friends & a Van Moving', 'Repairs & Garden', 'cashBackCard', 94000],
  [
    '2020-11-07',
    'Hearth & Hollow Furniture',
    'Household Supplies',
    'travelCard',
    217800,
    { tags: ['warranty', 'splurge'] },
  ],
  ['2021-01-22', 'Treasury Economic Impact Payment', 'Tax Refunds', 'checking', -120000],
  [
    '2021-03-02',
    'Meadowlark Birth Center',
    'Doctor & Dentist',
    'savings',
    318540,
    { notes: 'Out-of-pocket maximum. Hello, little one 👶' },
  ],
  ['2021-03-15', 'Little Lark Baby Outfitters', 'Kids', 'cashBackCard', 68790],
  [
    '2022-08-06',
    'Fairlane Used Cars',
    'Car Care',
    'savings',
    680000,
    { notes: 'Trade-in plus this for the wagon' },
  ],
  [
    '2023-02-27',
    'Summit Roofing',
    'Repairs & Garden',
    'savings',
    742500,
    { notes: 'Ten years on the workmanship', tags: ['warranty'] },
  ],
  [
    '2023-06-30',
    'Pixelwright Computers',
    'Electronics',
    'travelCard',
    162400,
    { tags: ['warranty'] },
  ],
  [
    '2024-07-11',
    'Arctic Fox Heat Pumps',
    'Repairs & Garden',
    'savings',
    893000,
    { tags: ['warranty', 'tax-deductible'] },
  ],
  [
    '2025-09-02',
    'Fernwood School Supply List',
    'Kids',
    'cashBackCard',
    14365,
    { notes: 'First day of kindergarten' },
  ],
  [
    '2026-05-09',
    'Spoke & Chain Bicycles',
    'Electronics',
    'travelCard',
    248900,
    { notes: 'Cargo bike', tags: ['warranty', 'splurge'] },
  ],
];

/** Drafts of what happens once: the purchases and payments of the table above. */
export function draftOneOffs(): DraftUnit[] {
  return oneOffs.map(([date, payee, category, account, cents, extra]) => {
    const day = dayOn(date);
    const fields = { day, amount: cents * 100, payee, category, ...extra };
    return [draftTransaction({ ...fields, account: payingAccount(account, day) })];
  });
}
