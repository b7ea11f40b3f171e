import { counted, plural } from '../plural.ts';

type Unit = 'day' | 'week' | 'month' | 'year';
const adverbs: Readonly<Record<Unit, string>> = {
  day: 'Daily',
  week: 'Weekly',
  month: 'Monthly',
  year: 'Yearly',
};

/** The texts of recurring items. */
export const recurringTexts = {
  title: 'Recurring',
  summary: (active: number, suggested: number) => {
    const items = plural(active, { one: 'One item', other: '# items' });
    const more = plural(suggested, { one: 'one suggestion', other: '# suggestions' });
    return suggested === 0 ? items : `${items}, ${more}`;
  },
  views: 'Views',
  list: 'List',
  calendar: 'Calendar',
  create: 'New item',
  empty: 'No recurring items yet',
  emptyHint:
    'Rent, salary, subscriptions: Coffer links their transactions and shows which are missing. It suggests items once it has seen three regular payments.',
  sections: { suggested: 'Suggested', reviewed: 'Expected', dismissed: 'Dismissed' },
  suggestedHint: 'Found in your transactions. Accept what is right.',
  accept: 'Accept',
  dismiss: 'Dismiss',
  restore: 'Accept again',
  edit: (name: string) => `Edit ${name}`,
  acceptNamed: (name: string) => `Accept ${name}`,
  dismissNamed: (name: string) => `Dismiss ${name}`,
  restoreNamed: (name: string) => `Accept ${name} again`,
  anyPayee: 'Any payee',
  anyAccount: 'Any account',
  next: 'Next',
  ended: 'Ended',
  today: 'Today',
  last: (date: string) => `Last ${date}`,
  never: 'Not found yet',
  missing: (date: string) => `Missing since ${date}`,
  rhythm: (count: number, unit: Unit) => (count === 1 ? adverbs[unit] : `Every ${count} ${unit}s`),
  accepted: (name: string) => `${name} is accepted`,
  dismissed: (name: string) => `${name} is dismissed`,
  created: (name: string) => `${name} is created`,
  saved: (name: string) => `${name} is saved`,
  removed: (name: string) => `${name} is deleted`,
  failed: (name: string, reason: string) => `${name} was not changed: ${reason}`,
  transactions: 'Transactions',
  previous: 'Earlier month',
  following: 'Later month',
  current: 'Today',
  calendarOf: (month: string) => `Recurring items in ${month}`,
  nothing: 'Nothing recurring on this day',
  kinds: {
    found: 'found',
    missing: 'missing',
    expected: 'expected',
    suggested: 'suggested',
  },
  more: counted({ other: '# more' }),
  onDay: (date: string) => `On ${date}`,
} as const;

/** The texts of the dialog that edits an item. */
export const itemTexts = {
  newTitle: 'New recurring item',
  editTitle: 'Recurring item',
  save: 'Save',
  create: 'Create',
  remove: 'Delete',
  payee: 'Payee',
  payeeHint: 'Choose one, and the rest is filled in from its last transaction.',
  amount: 'Amount',
  direction: 'Direction',
  directions: { out: 'Money out', in: 'Money in' },
  tolerance: 'May differ by',
  account: 'Account',
  anyAccount: 'Any account',
  every: 'Every',
  unit: 'Unit',
  units: { day: 'days', week: 'weeks', month: 'months', year: 'years' },
  anchor: 'One of the dates',
  start: 'From',
  end: 'Until',
  optional: 'optional',
  category: 'Category',
  keepCategory: 'That of the transaction',
  description: 'Description',
  shownPayee: 'Payee to show',
  shownNotes: 'Notes to show',
  more: 'More',
} as const;
