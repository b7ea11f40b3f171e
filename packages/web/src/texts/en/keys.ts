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
      ['s', 'Split'],
      ['x', 'Select'],
      ['Shift X', 'Select up to here'],
      ['Shift A', 'Select the same payee'],
      ['u', 'Undo the last change'],
    ],
  },
] as const;
