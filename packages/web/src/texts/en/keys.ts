/** The sheet of keys: groups of keys with what they do. */
export const keySheet = [
  {
    title: 'Everywhere',
    keys: [
      ['Ctrl K', 'Go to a screen or run an action'],
      ['?', 'Show this sheet'],
      ['Esc', 'Close what is open'],
    ],
  },
  {
    title: 'In lists of transactions',
    keys: [
      ['j k', 'Next, previous'],
      ['g G', 'First, last'],
      ['/', 'Search'],
      ['Enter', 'Edit the row'],
      ['c t n d', 'Category, tags, notes, date'],
      ['m', 'Amount'],
      ['e', 'Mark as reviewed'],
      ['y', 'Accept the suggested category (in Review)'],
      ['s', 'Split'],
      ['x', 'Select'],
      ['Shift X', 'Select up to here'],
      ['Shift A', 'Select the same payee'],
      ['u', 'Undo the last change'],
    ],
  },
  {
    title: 'In the budget',
    keys: [
      ['Arrows', 'Move'],
      ['0–9 Enter', 'Edit the cell'],
      ['Enter Tab', 'Save and move on'],
      ['Del', 'Remove the budget'],
      ['p', 'Copy the last period'],
      ['a', 'Average of what was spent'],
      ['PgUp PgDn', 'Earlier, later period'],
    ],
  },
  {
    title: 'In recurring items',
    keys: [
      ['a d', 'Accept, dismiss a suggestion'],
      ['PgUp PgDn', 'Earlier, later month of the calendar'],
    ],
  },
] as const;
