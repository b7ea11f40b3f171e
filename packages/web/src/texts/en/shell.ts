/** The texts of what surrounds every screen. */
export const shell = {
  name: 'Coffer',
  messages: 'Messages',
  skip: 'Skip to content',
  mainNavigation: 'Main',
  more: 'More',
  loading: 'Loading',
  notFound: 'There is no such page',
  notFoundHint: 'The link may be old. The navigation leads to every screen.',
  failed: 'This screen has failed',
  failedHint: 'Your records are safe. Load the page again, and report the message below.',
  reload: 'Load again',
  dropAnywhere: 'Drop the files to import them',
  offline: 'The server cannot be reached. Your edits are kept and sent when it is back.',
  waiting: (seconds: number) =>
    `Too many requests: Coffer continues in ${seconds} s. Nothing is lost.`,
  signOut: 'Sign out',
  hideAmounts: 'Hide amounts',
  showAmounts: 'Show amounts',
  theme: 'Colours',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  palette: 'Go to',
  palettePlaceholder: 'Type a screen or an action',
  paletteNothing: 'Nothing fits',
  keys: 'Keys',
  letterKeys: 'Letters act in lists of transactions',
  reference: 'API reference',
} as const;

/** The labels of the screens in the navigation. */
export const screenLabels = {
  overview: 'Overview',
  transactions: 'Transactions',
  review: 'Review',
  budget: 'Budget',
  recurring: 'Recurring',
  reports: 'Reports',
  import: 'Import',
  accounts: 'Accounts',
  categories: 'Categories & tags',
  history: 'History',
  settings: 'Settings',
} as const;
