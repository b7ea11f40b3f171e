import { counted } from '../plural.ts';

/** The texts of the inbox. */
export const reviewTexts = {
  title: 'Review',
  left: counted({ one: '# transaction to review', other: '# transactions to review' }),
  doneTitle: 'All reviewed',
  doneHint: 'Every transaction has been looked at. New ones appear here after the next import.',
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
  all: counted({ other: 'All #' }),
  ofPayee: (payee: string) => `of ${payee}`,
  tag: 'Tag',
  deselect: 'Deselect',
} as const;
