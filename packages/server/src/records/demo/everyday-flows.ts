import type { AccountName } from './accounts.ts';
import type { MonthName } from './calendar.ts';
import type { CategoryName } from './categories.ts';
import { merchants, type Merchant } from './merchants.ts';
import type { TagName } from './tags.ts';

/** A kind of spending that comes again and again without a calendar. */
export interface EverydayFlow {
  readonly category: CategoryName;
  readonly merchants: readonly Merchant[];
  /** How often, compared with the other flows on an ordinary weekday. */
  readonly weight: number;
  /** Who pays: each in turn of chance, so named twice is twice as likely; null is cash of no account. */
  readonly paidBy: readonly (AccountName | null)[];
  /** Per cent of the weight on Saturdays and Sundays. */
  readonly weekend?: number;
  /** Per cent of the weight, January to December. */
  readonly seasons?: readonly number[];
  /** Per cent of the weight from April 2020 to March 2021. */
  readonly lockdown?: number;
  readonly from?: MonthName;
  /** A refund: the amount is a credit. */
  readonly isCredit?: boolean;
  readonly tag?: readonly [name: TagName, percent: number];
  readonly notes?: readonly string[];
}

const card = 'travelCard';
const cards = [card, card, card, 'cashBackCard', 'cashBackCard', 'checking'] as const;
const home = ['cashBackCard', 'cashBackCard', 'cashBackCard', 'checking', 'creditUnion'] as const;
const out = [card, card, card, card, card, card, card, 'checking', 'wallet', null] as const;
const health = ['cashBackCard', 'checking', 'creditUnion'] as const;
const december = [60, 90, 80, 90, 130, 110, 80, 80, 80, 90, 160, 420];
const growing = [20, 40, 120, 220, 240, 160, 100, 80, 90, 90, 40, 20];

export const everydayFlows: readonly EverydayFlow[] = [
  {
    category: 'Groceries',
    merchants: merchants.groceries,
    weight: 200,
    weekend: 150,
    paidBy: home,
    lockdown: 120,
    notes: ['Taco night 🌮', 'Stocked up before the storm', 'Potluck', 'Mostly for the freezer'],
  },
  {
    category: 'Restaurants',
    merchants: merchants.restaurants,
    weight: 85,
    weekend: 170,
    paidBy: out,
    lockdown: 15,
    tag: ['date night', 20],
    notes: ['Birthday dinner 🎂', 'With the neighbors', 'Our table by the window', 'Jubiläum 🥂'],
  },
  {
    category: 'Coffee Shops',
    merchants: merchants.coffee,
    weight: 120,
    weekend: 80,
    paidBy: out,
    lockdown: 30,
    notes: ['☕ and a croissant', 'Catching up'],
  },
  {
    category: 'Takeaway',
    merchants: merchants.takeaway,
    weight: 70,
    paidBy: cards,
    lockdown: 190,
    notes: ['Too tired to cook', 'Movie night 🍿'],
  },
  {
    category: 'Bars',
    merchants: merchants.bars,
    weight: 22,
    weekend: 260,
    paidBy: out,
    lockdown: 5,
  },
  { category: 'Fuel', merchants: merchants.fuel, weight: 52, paidBy: cards, lockdown: 40 },
  {
    category: 'Public Transit',
    merchants: merchants.transit,
    weight: 48,
    weekend: 40,
    paidBy: [card, card, card, card, 'wallet', null],
    lockdown: 10,
  },
  { category: 'Taxi', merchants: merchants.taxi, weight: 16, weekend: 180, paidBy: cards },
  { category: 'Parking & Tolls', merchants: merchants.parking, weight: 26, paidBy: out },
  { category: 'Car Care', merchants: merchants.carCare, weight: 9, weekend: 140, paidBy: home },
  {
    category: 'Household Supplies',
    merchants: merchants.household,
    weight: 44,
    weekend: 160,
    paidBy: home,
    lockdown: 150,
  },
  {
    category: 'Repairs & Garden',
    merchants: merchants.repairs,
    weight: 17,
    weekend: 190,
    paidBy: home,
    seasons: growing,
    from: '2020-11',
    tag: ['warranty', 7],
    notes: ['Raised beds 🌱', 'The leak under the sink, again'],
  },
  {
    category: 'Clothing',
    merchants: merchants.clothing,
    weight: 26,
    weekend: 170,
    paidBy: cards,
    seasons: [70, 60, 110, 110, 100, 90, 80, 150, 130, 100, 120, 130],
    tag: ['splurge', 12],
  },
  {
    category: 'Electronics',
    merchants: merchants.electronics,
    weight: 7,
    paidBy: [card],
    seasons: december,
    tag: ['warranty', 55],
  },
  {
    category: 'Doctor & Dentist',
    merchants: merchants.doctor,
    weight: 15,
    weekend: 5,
    paidBy: health,
    notes: ['Copay', 'Annual check-up', 'Submit to the FSA'],
  },
  { category: 'Pharmacy', merchants: merchants.pharmacy, weight: 26, paidBy: home },
  { category: 'Personal Care', merchants: merchants.personalCare, weight: 18, paidBy: cards },
  { category: 'Books & Games', merchants: merchants.books, weight: 24, paidBy: cards },
  {
    category: 'Events',
    merchants: merchants.events,
    weight: 20,
    weekend: 260,
    paidBy: cards,
    lockdown: 2,
    tag: ['date night', 12],
  },
  {
    category: 'Pets',
    merchants: merchants.pets,
    weight: 22,
    paidBy: home,
    from: '2018-04',
    notes: ['Biscuit’s shots', 'Grain-free, the 30 lb bag'],
  },
  {
    category: 'Kids',
    merchants: merchants.kids,
    weight: 30,
    weekend: 130,
    paidBy: home,
    from: '2021-01',
    notes: ['Grows so fast', 'Rain boots'],
  },
  {
    category: 'Gifts',
    merchants: merchants.gifts,
    weight: 16,
    paidBy: cards,
    seasons: december,
    notes: ['For Mom 💐', 'Secret Santa 🎅', 'Housewarming', 'お土産'],
  },
  {
    category: 'Donations',
    merchants: merchants.donations,
    weight: 5,
    paidBy: cards,
    seasons: december,
    tag: ['tax-deductible', 100],
  },
  {
    category: 'Work Expenses',
    merchants: merchants.work,
    weight: 10,
    weekend: 10,
    paidBy: [card],
    lockdown: 10,
    tag: ['reimbursable', 95],
    notes: ['Receipt in the shared folder', 'Project Heron kick-off'],
  },
  {
    category: 'Bank Fees',
    merchants: merchants.bankFees,
    weight: 3,
    paidBy: ['checking', 'checking', 'creditUnion'],
  },
  {
    category: 'Groceries',
    merchants: merchants.market,
    weight: 20,
    weekend: 320,
    paidBy: ['wallet', null],
    lockdown: 40,
  },
  { category: 'Takeaway', merchants: merchants.stalls, weight: 16, paidBy: ['wallet', null] },
  {
    category: 'Household Supplies',
    merchants: merchants.thrift,
    weight: 8,
    weekend: 300,
    paidBy: ['wallet', null, null],
    lockdown: 20,
  },
  {
    category: 'Clothing',
    merchants: merchants.clothing,
    weight: 4,
    paidBy: cards,
    isCredit: true,
    notes: ['Returned, wrong size'],
  },
  {
    category: 'Household Supplies',
    merchants: merchants.household,
    weight: 4,
    paidBy: home,
    isCredit: true,
    notes: ['Returned'],
  },
];
