import type { AccountName } from './accounts.ts';
import type { CategoryName } from './categories.ts';
import type { Currency } from './currencies.ts';
import type { TagName } from './tags.ts';

/** One purchase of a group. */
export interface GroupMember {
  readonly payee: string;
  readonly category: CategoryName;
  readonly account: AccountName;
  /** Range in hundredths of the currency; negative for money that comes back. */
  readonly cents: readonly [least: number, most: number];
  /** How many days after the group's first day. */
  readonly after: number;
  readonly currency?: Currency;
}

/** A group of purchases as it may happen on any day. */
export interface GroupTemplate {
  readonly payee: string;
  /** The first date on which it can happen. */
  readonly from: string;
  /** The group's own, where its members do not all share one. */
  readonly category?: CategoryName;
  readonly notes?: string;
  readonly tag?: TagName;
  /** 2 to 5; later ones may be left out. */
  readonly members: readonly GroupMember[];
}

export const groupTemplates: readonly GroupTemplate[] = [
  {
    payee: 'Dinner with friends',
    from: '2016-11-01',
    notes: 'Our share after everybody paid up 🍝',
    members: [
      m('Brasserie Chloé', 'Restaurants', 'travelCard', 14800, 26900, 0),
      m('Payback from Robin', 'Restaurants', 'checking', -5200, -3600, 1),
      m('Payback from Jules', 'Restaurants', 'checking', -5200, -3600, 2),
      m('Payback from Sam', 'Restaurants', 'creditUnion', -3400, -2100, 4),
    ],
  },
  {
    payee: 'Returned order',
    from: '2016-11-01',
    category: 'Clothing',
    members: [
      m('North Trail Outfitters', 'Clothing', 'cashBackCard', 12900, 24900, 0),
      m('North Trail Outfitters Refund', 'Clothing', 'cashBackCard', -12500, -6400, 9),
    ],
  },
  {
    payee: 'Weekend at the coast',
    from: '2016-11-01',
    notes: '🌊',
    members: [
      m('Roadrunner Fuel', 'Fuel', 'travelCard', 2800, 5400, 0),
      m('Driftwood Motor Lodge', 'Lodging', 'travelCard', 21900, 38900, 2),
      m('Clam & Candle', 'Restaurants', 'travelCard', 4400, 9800, 1),
      m('Tidepool Taffy', 'Takeaway', 'wallet', 600, 2200, 1),
      m('Lighthouse Museum', 'Sightseeing', 'cashBackCard', 1400, 3600, 2),
    ],
  },
  {
    payee: 'Bathroom repair',
    from: '2020-11-15',
    tag: 'warranty',
    members: [
      m('Rain City Plumbing', 'Repairs & Garden', 'creditUnion', 28900, 74000, 0),
      m('Big Timber Home Center', 'Repairs & Garden', 'cashBackCard', 8900, 31000, 1),
      m('Tile & Stone Yard', 'Repairs & Garden', 'cashBackCard', 14500, 52000, 3),
    ],
  },
  {
    payee: 'Conference in Toronto',
    from: '2018-02-01',
    category: 'Work Expenses',
    tag: 'reimbursable',
    members: [
      m('Sky Harbor Airlines', 'Work Expenses', 'travelCard', 31900, 56900, 0),
      m('Maple & Main Hotel', 'Work Expenses', 'travelCard', 42000, 78000, 6, 'cad'),
      m('Radio Cab Co-op', 'Work Expenses', 'travelCard', 2400, 4600, 6),
      m('Streetcar Pass', 'Public Transit', 'travelCard', 325, 1350, 4, 'cad'),
    ],
  },
  {
    payee: 'Birthday party',
    from: '2022-03-01',
    category: 'Kids',
    notes: '🎈🦕',
    members: [
      m('Tumble Tots Gym', 'Kids', 'cashBackCard', 18500, 29500, 0),
      m('Bluebird Bakery', 'Groceries', 'cashBackCard', 3800, 7200, 1),
      m('Dollar Cottage', 'Household Supplies', 'wallet', 900, 3200, 1),
      m('Harvest Moon Pizza', 'Takeaway', 'travelCard', 6400, 11800, 2),
    ],
  },
];

function m(
  payee: string,
  category: CategoryName,
  account: AccountName,
  least: number,
  most: number,
  after: number,
  currency: Currency = 'usd',
): GroupMember {
  return { payee, category, account, cents: [least, most], after, currency };
}
