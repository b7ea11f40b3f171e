import { counted, plural } from '../plural.ts';

const transactions = counted({ one: '# transaction', other: '# transactions' });

/** The texts of rules. */
export const rulesTexts = {
  title: 'Rules',
  summary: 'A rule completes new transactions. The first one is applied first.',
  create: 'New rule',
  empty: 'There is no rule yet',
  emptyHint:
    'A rule gives new transactions a category, a payee or tags. Press “r” on a transaction to make one for its payee.',
  list: 'Rules in the order in which they apply',
  isOn: (name: string) => `${name} is on`,
  off: 'Off',
  tags: 'Tags',
  edit: (name: string) => `Edit ${name}`,
  more: (name: string) => `Actions for ${name}`,
  menu: {
    edit: 'Edit',
    apply: 'Apply to past transactions',
    up: 'Move up',
    down: 'Move down',
    remove: 'Delete',
  },
  turnedOn: (name: string) => `${name} is on`,
  turnedOff: (name: string) => `${name} is off`,
  moved: (name: string) => `${name} is moved`,
  created: (name: string, past: number) =>
    past === 0 ? `${name} is created` : `${name} is created, ${transactions(past)} changed`,
  saved: (name: string, past: number) =>
    past === 0 ? `${name} is saved` : `${name} is saved, ${transactions(past)} changed`,
  removed: (name: string) => `${name} is deleted`,
  applied: (count: number) => `${transactions(count)} changed`,
  applying: {
    title: (name: string) => `Apply ${name}`,
    confirm: 'Change them',
  },
} as const;

/** A rule in words: `Payee is “Rewe”, at most 20.00` and `Groceries, tag “home”`. */
export const ruleWords = {
  quoted: (text: string) => `“${text}”`,
  payee: { is: 'Payee is', contains: 'Payee contains', starts_with: 'Payee begins with' },
  notes: { is: 'Notes are', contains: 'Notes contain', starts_with: 'Notes begin with' },
  exactly: (amount: string) => `amount ${amount}`,
  between: (least: string, most: string) => `amount ${least} to ${most}`,
  least: (amount: string) => `at least ${amount}`,
  most: (amount: string) => `at most ${amount}`,
  signs: { debit: 'money out', credit: 'money in' },
  account: (name: string) => `account ${name}`,
  ofCategory: (name: string) => `category ${name}`,
  newPayee: (name: string) => `payee “${name}”`,
  tag: (name: string) => `tag “${name}”`,
  newNotes: (text: string) => `notes “${text}”`,
  reviewed: 'reviewed',
  unreviewed: 'to review',
  excluded: 'left out of totals',
  split: counted({ other: 'split into #' }),
  stop: 'later rules are skipped',
  gone: 'deleted',
} as const;

/** The texts of the dialog of a rule. */
export const ruleForm = {
  newTitle: 'New rule',
  editTitle: 'Rule',
  create: 'Create',
  save: 'Save',
  when: 'When',
  then: 'Then',
  payee: 'Payee',
  compared: 'Compared as',
  operators: { is: 'the whole text', contains: 'a part of it', starts_with: 'its beginning' },
  moreWhen: 'More conditions',
  least: 'Amount from',
  most: 'to',
  direction: 'Direction',
  directions: { any: 'Any', debit: 'Money out', credit: 'Money in' },
  account: 'Account',
  anyAccount: 'Any account',
  ofCategory: 'Has the category',
  anyCategory: 'Any category',
  notes: 'Notes',
  category: 'Category',
  keepCategory: 'As it is',
  moreThen: 'More actions',
  newPayee: 'New payee',
  newNotes: 'New notes',
  status: 'Review',
  statuses: { keep: 'As it is', yes: 'Reviewed', no: 'To review' },
  excluded: 'Leave out of totals',
  stop: 'Skip later rules',
  split: counted({ other: 'New transactions are split into # parts, as before.' }),
  name: 'Name',
  nameHint: 'Made of the conditions if you leave it empty.',
  unnamed: 'Rule',
  preview: 'Preview',
  incomplete: 'Set a condition and an action to see what the rule would change.',
  counting: 'Counting …',
  changes: (changed: number, examined: number) =>
    changed === 0
      ? `None of ${transactions(examined)} would change.`
      : `${plural(changed, { one: '# of', other: '# of' })} ${transactions(examined)} would change:`,
  others: counted({ other: 'and # more' }),
  past: counted({ one: 'Change this transaction now', other: 'Change these # transactions now' }),
} as const;
