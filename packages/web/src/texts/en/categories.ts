import { plural } from '../plural.ts';

const transactions = (count: number): string =>
  plural(count, { one: '# transaction', other: '# transactions' });

/** The texts of categories and tags. */
export const categoriesTexts = {
  title: 'Categories & tags',
  parts: { categories: 'Categories', tags: 'Tags' },
  tree: 'Categories and their groups',
  addCategory: 'Add a category',
  addGroup: 'Add a group',
  addTag: 'Add a tag',
  noTags: 'There is no tag yet',
  noTagsHint: 'Tags mark what categories do not say, such as a trip or a shared expense.',
  dragHint: 'Drag by the handle, or use the menu, to change the order and the group.',
  drag: (name: string) => `Move ${name}`,
  expand: (name: string) => `Fold or unfold ${name}`,
  more: (name: string) => `Actions for ${name}`,
  badges: {
    income: 'Income',
    budget: 'Not in budgets',
    totals: 'Not in totals',
    archived: 'Archived',
  },
  showArchived: (count: number) =>
    plural(count, { one: 'Show # archived', other: 'Show # archived' }),
  edit: 'Edit',
  up: 'Move up',
  down: 'Move down',
  archive: 'Archive',
  restore: 'Offer it again',
  merge: 'Merge into another',
  remove: 'Delete',
  transactions: 'Transactions',
  moved: (name: string) => `${name} is moved`,
  changed: (name: string) => `${name} is changed`,
  created: (name: string) => `${name} is added`,
  archived: (name: string) => `${name} is archived`,
  restored: (name: string) => `${name} is offered again`,
  removed: (name: string) => `${name} is deleted`,
  form: {
    name: 'Name',
    description: 'Note',
    group: 'Group',
    noGroup: 'No group',
    income: 'Money received',
    budget: 'Leave out of budgets',
    totals: 'Leave out of totals',
    inherited: 'Members have these as their group has them.',
    background: 'Background',
    hasColours: 'Own colours',
    preview: 'Looks like this',
  },
  refused: {
    title: (name: string) => `Delete ${name}?`,
    intro: 'It is in use. If you delete it:',
    confirm: 'Delete it',
    dependents: {
      transactions: (count: number) => `${transactions(count)} will have no category`,
      children: (count: number) =>
        plural(count, {
          one: '# member will belong to no group',
          other: '# members will belong to no group',
        }),
      budget: (count: number) =>
        plural(count, {
          one: '# budgeted amount is deleted',
          other: '# budgeted amounts are deleted',
        }),
      category_rules: (count: number) =>
        plural(count, { one: '# rule loses it', other: '# rules lose it' }),
      recurring: (count: number) =>
        plural(count, { one: '# recurring item loses it', other: '# recurring items lose it' }),
      plaid_cats: (count: number) =>
        plural(count, {
          one: '# category of a bank is no longer assigned',
          other: '# categories of banks are no longer assigned',
        }),
    } as Readonly<Record<string, (count: number) => string>>,
    tagDependents: {
      transactions: (count: number) => `${transactions(count)} lose it`,
      rules: (count: number) => plural(count, { one: '# rule loses it', other: '# rules lose it' }),
    } as Readonly<Record<string, (count: number) => string>>,
  },
  merging: {
    title: (name: string) => `Merge ${name} into another`,
    into: 'Into',
    choose: 'Choose one',
    effect: 'This happens:',
    transactions: (count: number) => `${transactions(count)} move`,
    rules: (count: number) =>
      plural(count, { one: '# rule uses the other', other: '# rules use the other' }),
    recurring: (count: number) =>
      plural(count, { one: '# recurring item moves', other: '# recurring items move' }),
    members: (count: number) => plural(count, { one: '# member moves', other: '# members move' }),
    others: 'Budgets move too',
    gone: (name: string) => `${name} is deleted`,
    confirm: 'Merge',
    done: (from: string, into: string) => `${from} is merged into ${into}`,
  },
} as const;
