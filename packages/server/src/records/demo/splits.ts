import { payingAccount, type AccountName } from './accounts.ts';
import { shopBankName } from './bank-names.ts';
import { dayOn, lastDay } from './calendar.ts';
import type { CategoryName } from './categories.ts';
import { draftTransaction, type DraftTransaction, type DraftUnit } from './draft-transaction.ts';
import type { Random } from './random.ts';
import type { TagName } from './tags.ts';

interface SplitTemplate {
  readonly payee: string;
  readonly account: AccountName;
  /** The first date on which it can happen. */
  readonly from: string;
  /** Range of the whole in cents. */
  readonly cents: readonly [least: number, most: number];
  /** At least the first two are there; later ones may be left out. */
  readonly parts: readonly SplitPart[];
}

interface SplitPart {
  readonly category: CategoryName;
  /** Inherits the parent's payee when missing. */
  readonly payee?: string;
  readonly notes?: string;
  readonly tag?: TagName;
}

const templates: readonly SplitTemplate[] = [
  {
    payee: 'Harborside Warehouse Club',
    account: 'cashBackCard',
    from: '2016-11-01',
    cents: [9800, 38900],
    parts: [
      { category: 'Groceries' },
      { category: 'Household Supplies', notes: 'Paper towels, soap, batteries' },
      { category: 'Clothing' },
      { category: 'Gifts', notes: '🎁 closet' },
    ],
  },
  {
    payee: 'Cartwheel Online',
    account: 'travelCard',
    from: '2016-11-01',
    cents: [4900, 26900],
    parts: [
      { category: 'Electronics', tag: 'warranty' },
      { category: 'Books & Games' },
      { category: 'Household Supplies' },
    ],
  },
  {
    payee: 'Wellspring Pharmacy',
    account: 'checking',
    from: '2016-11-01',
    cents: [3900, 12900],
    parts: [
      { category: 'Pharmacy', notes: 'Prescription', tag: 'tax-deductible' },
      { category: 'Personal Care' },
    ],
  },
  {
    payee: 'Conference Center Hotel',
    account: 'travelCard',
    from: '2017-02-01',
    cents: [38900, 94500],
    parts: [
      { category: 'Work Expenses', payee: 'Conference Center Hotel – room', tag: 'reimbursable' },
      { category: 'Work Expenses', payee: 'Conference Center Hotel – meals', tag: 'reimbursable' },
      { category: 'Bars', payee: 'Conference Center Hotel – lobby bar', notes: 'Ours' },
    ],
  },
  {
    payee: 'Elm Street Veterinary Clinic',
    account: 'creditUnion',
    from: '2018-04-07',
    cents: [14500, 52000],
    parts: [
      { category: 'Pets', notes: 'Exam and vaccines' },
      { category: 'Pets', notes: 'Food' },
    ],
  },
  {
    payee: 'Big Timber Home Center',
    account: 'creditUnion',
    from: '2020-11-01',
    cents: [11900, 61000],
    parts: [
      { category: 'Repairs & Garden' },
      { category: 'Household Supplies' },
      { category: 'Gifts', notes: 'Tool set for Dad' },
      { category: 'Kids', notes: 'Birdhouse kit' },
    ],
  },
];

/** The last days are left out: what is pending cannot be split. */
const pendingTail = 5;

/** Purchases that were split into 2 to 4 parts, all in US dollars, evenly spread over the ten years. */
export function draftSplits(count: number, random: Random): DraftUnit[] {
  return Array.from({ length: count }, (_, at) => {
    const day = Math.floor(((at + random.fraction()) / count) * (lastDay - pendingTail));
    const possible = templates.filter(({ from }) => dayOn(from) <= day);
    return draftSplit(random.pick(possible), day, random);
  });
}

function draftSplit(template: SplitTemplate, day: number, random: Random): DraftUnit {
  const { payee, parts } = template;
  const cents = random.integer(...template.cents);
  const account = payingAccount(template.account, day);
  const whole = { day, payee, account, amount: cents * 100 } as const;
  const parent = draftTransaction({
    ...whole,
    category: parts[0]!.category,
    bankName: shopBankName(payee, random),
    isSplitParent: true,
  });
  const chosen = parts.slice(0, random.integer(2, parts.length));
  const shares = divide(cents, chosen.length, random);
  return [parent, ...chosen.map((part, at) => draftPart(parent, part, shares[at]!))];
}

function draftPart(parent: DraftTransaction, part: SplitPart, cents: number): DraftTransaction {
  return draftTransaction({
    day: parent.day,
    amount: cents * 100,
    payee: part.payee ?? parent.payee,
    category: part.category,
    account: parent.account,
    notes: part.notes ?? null,
    tags: part.tag === undefined ? [] : [part.tag],
    splitParent: parent,
  });
}

/** Cuts the whole into parts that sum to it exactly: each takes a third to two thirds of what is left. */
function divide(cents: number, parts: number, random: Random): number[] {
  const shares: number[] = [];
  let left = cents;
  while (shares.length < parts - 1) {
    const share = Math.floor((left * random.integer(34, 66)) / 100);
    shares.push(share);
    left -= share;
  }
  return [...shares, left];
}
