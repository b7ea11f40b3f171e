import { plural } from '../plural.ts';

/** The texts of the inbox. */
export const reviewTexts = {
  title: 'Review',
  left: (count: number) =>
    plural(count, { one: '# transaction to review', other: '# transactions to review' }),
  doneTitle: 'All reviewed',
  doneHint: 'Every transaction has been looked at. New ones appear here after the next import.',
  bound: (count: number) =>
    plural(count, {
      one: 'One part of a split or group is left, which cannot be marked alone: undo the split or the group first.',
      other:
        '# parts of splits and groups are left, which cannot be marked alone: undo the split or the group first.',
    }),
  toBound: 'Show what is left',
  toSpending: 'See the spending of this month',
  toImport: 'Import the next file',
  actions: 'Actions on the transaction',
  mark: 'Reviewed',
  category: 'Category',
  notes: 'Notes',
  split: 'Split',
  undo: 'Undo',
  pair: (account: string) => `Transfer ${account}?`,
  accept: (category: string) => `${category}?`,
  /** Followed by `ofPayee`, for which a phone has no room. */
  all: (count: number) => plural(count, { other: 'All #' }),
  ofPayee: (payee: string) => `of ${payee}`,
  tag: 'Tag',
  deselect: 'Deselect',
} as const;
