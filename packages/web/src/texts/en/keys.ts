/** The sheet of keys: groups of keys with what they do. */
export const keySheet = [
  {
    title: 'Everywhere',
    keys: [
      ['Ctrl K', 'Go to a screen or a record, or run an action'],
      ['+ a', 'Add a transaction'],
      ['?', 'Show this sheet'],
      ['Esc', 'Close what is open'],
    ],
  },
  {
    title: 'In lists of transactions',
    keys: [
      ['j ↓', 'Next'],
      ['k ↑', 'Previous'],
      ['g Home', 'First'],
      ['G End', 'Last'],
      ['PgUp PgDn', 'A page up, a page down'],
      ['/', 'Search'],
      ['→ ←', 'Unfold a group or a split, fold it'],
      ['p Enter', 'Payee'],
      ['c t n', 'Category, tags, notes'],
      ['d m o', 'Date, amount, account'],
      ['e', 'Mark as reviewed'],
      ['y Enter', 'In Review: accept the suggested category'],
      ['s', 'Split'],
      ['w', 'Pair two selected rows as a transfer, or as suggested in Review'],
      ['b', 'Break the transfer'],
      ['r', 'Make a rule for the payee'],
      ['f', 'Attach a file, such as a receipt'],
      ['x Space', 'Select'],
      ['Shift X', 'Select up to here'],
      ['Ctrl A', 'Select all'],
      ['Shift A', 'Select the same payee'],
      ['Del', 'Delete'],
      ['u', 'Undo the last change'],
    ],
  },
  {
    title: 'In an import',
    keys: [
      ['Enter', 'Import'],
      ['x Space', 'Leave out the row, or take it in'],
    ],
  },
  {
    title: 'In the budget',
    keys: [
      ['Arrows', 'Move'],
      ['Home End', 'First, last column'],
      ['0–9 Enter', 'Edit the cell'],
      ['Enter Tab', 'Save and move on'],
      ['Del', 'Remove the budget'],
      ['p', 'Copy the last period'],
      ['a', 'Average of what was spent'],
      ['PgUp PgDn', 'Earlier, later period'],
      ['u', 'Undo the last change'],
    ],
  },
  {
    title: 'In recurring items',
    keys: [
      ['a d', 'Accept, dismiss a suggestion'],
      ['Arrows', 'Another item, another day of the calendar'],
      ['PgUp PgDn', 'Earlier, later month of the calendar'],
      ['u', 'Undo the last change'],
    ],
  },
  {
    title: 'In the history and in charts',
    keys: [
      ['u', 'Undo the last change'],
      ['Arrows', 'Another point of the chart'],
    ],
  },
] as const;
