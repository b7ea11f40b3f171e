import { withOptionWords } from '../option-words.ts';
import { plural } from '../plural.ts';

const transactions = (count: number): string =>
  plural(count, { one: '# transaction', other: '# transactions' });
const rows = (count: number): string => plural(count, { one: '# row', other: '# rows' });

const dateFormats: Readonly<Record<string, string>> = {
  'y-m-d': '2026-03-31, year first',
  'd/m/y': '31/03/2026, day first',
  'm/d/y': '03/31/2026, month first',
};
const howRead = 'How the file is read';

/** The texts of the screen that imports bank files. */
export const importTexts = {
  title: 'Import',
  summary: 'Files of your bank: CSV, OFX, QFX, QIF, CAMT, MT940, spreadsheets and ledgers.',
  drop: 'Drop bank files here',
  dropHint:
    'Or choose them, or paste a table with Ctrl V. Nothing is imported before you have seen it.',
  choose: 'Choose files',
  pastedName: 'pasted.csv',
  open: 'Not imported yet',
  past: 'Imported',
  pastNone: 'Files that you have imported are listed here, and can be undone.',
  older: 'Show older imports',
  waiting: 'Waits for the file before it',
  sending: 'Sending',
  steps: { storing: 'Storing', reading: 'Reading', comparing: 'Comparing with your book' },
  reading: 'Reading',
  importing: 'Importing',
  stepOf: (step: string, done: string, total: string) => `${step}: ${done} of ${total}`,
  working: (name: string) => `Working on ${name}`,
  show: 'Show',
  discard: 'Discard',
  discardOf: (name: string) => `Discard ${name}`,
  discarded: (name: string) => `${name} was discarded. Nothing was imported.`,
  back: 'All imports',
  next: (name: string) => `Next file: ${name}`,

  balanceOn: (day: string) => `Balance on ${day}:`,
  balanceMatches: 'matches to the cent',
  balanceDiffers: 'away from what the rows make',

  refused: (name: string) => `${name} cannot be read`,
  refusedHint:
    'Nothing was imported. Say below how to read it, or choose another format at your bank.',
  tooLarge: 'The file is larger than 50 MB. Choose a shorter period at your bank.',
  empty: 'The file is empty. Download it again.',
  line: 'Line',
  column: 'Column',
  value: 'Value',
  problem: 'Problem',
  moreProblems: (count: number) =>
    `And ${plural(count, { one: '# more problem', other: '# more problems' })}`,
  failed: 'The import did not happen',
  verdictsChanged:
    'Your book has changed since. The rows below are judged again: check them, and import.',
  expired: 'This preview has expired',
  expiredHint: 'Choose the file again. Nothing was imported.',
  gone: 'There is no such import any more',
  goneHint: 'It was discarded, or it has expired. Choose the file again.',

  import: (count: number) => `Import ${transactions(count)}`,
  importUnnamed: (count: number) => `Import ${transactions(count)} without an account`,
  importNothing: 'Nothing to import',
  nothingHint: 'Your book has all of these rows already. Discard the file, or choose rows below.',
  verdict: {
    new: 'New',
    doubtful: 'Doubtful',
    known: 'Known',
    replaces: 'Posted',
    bad: 'Bad',
  },
  verdictHint: {
    new: 'Not in your book yet',
    doubtful: 'Your book may have it already: decide',
    known: 'Your book has it already',
    replaces: 'Takes the place of a pending transaction',
    bad: 'Cannot be read, and is left out',
  },
  all: 'All',
  filter: 'Rows',
  rowsLabel: 'Rows of the file',
  isImported: 'Imported',
  leftOut: 'Left out',
  date: 'Date',
  payee: 'Payee',
  account: 'Account',
  amount: 'Amount',
  verdictColumn: 'Verdict',
  doubtfulTitle: (count: number) =>
    `${plural(count, { one: '# row is', other: '# rows are' })} perhaps in your book already`,
  keepDoubtful: 'Import them',
  skipDoubtful: 'Leave them out',
  badTitle: (count: number) =>
    `${rows(count)} cannot be read, and ${count === 1 ? 'is' : 'are'} left out`,
  showBad: 'Show them',
  creates: (accounts: number, categories: number, tags: number) =>
    [
      accounts > 0 && plural(accounts, { one: '# new account', other: '# new accounts' }),
      categories > 0 && plural(categories, { one: '# new category', other: '# new categories' }),
      tags > 0 && plural(tags, { one: '# new tag', other: '# new tags' }),
    ]
      .filter((part) => part !== false)
      .join(', '),
  withoutRate: (count: number) =>
    `${transactions(count)} ${count === 1 ? 'has' : 'have'} no exchange rate, and count as 0 in reports until there is one`,
  rows,
  leftOutLines: 'Not transactions',

  accountsTitle: 'Accounts',
  accountNew: 'New account',
  accountKnown: 'Account of your book',
  accountMissing: 'The file does not name its account',
  accountMissingHint: 'Choose the account that it belongs to. Coffer remembers it for such files.',
  accountGuess: (name: string) =>
    `Is ${name} the right account? The last file with these columns belonged to it, and nothing else in this file says so.`,
  accountChosen: 'The rows go there when you import them',
  accountChoose: 'Account',
  accountPlaceholder: 'Type to find or create',
  accountChange: 'Change',
  accountOf: (name: string) => `Change the account ${name}`,

  howRead,
  /** A sentence of the server, whose options have the names of requests. */
  warning: (text: string) => withOptionWords(text, (words) => `${words} under “${howRead}”`),
  remembered: 'Remembered from an earlier file with the same columns',
  readAs: (dates: string, letters: string) =>
    `Dates: ${dateFormats[dates] ?? dates} · Letters: ${letters}`,
  willRemember: 'What you choose is remembered for files with the same columns.',
  fileNeeded:
    'To read it in another way, choose the file again: it was sent before this page was loaded.',
  chooseAgain: 'Choose it again',
  found: 'As found in the file',
  dateFormat: 'Dates',
  dateFormats,
  decimal: 'Decimal sign',
  decimals: { point: 'Point: 1,234.50', comma: 'Comma: 1.234,50' },
  sign: 'Signs',
  signs: { false: 'Money out is negative', true: 'Money out is positive' },
  encoding: 'Letters',
  currency: 'Currency of rows without one',
  columns: 'Columns',
  holds: 'Holds',
  columnsHint: 'A file needs a date, and an amount or money out and money in.',
  columnNumber: (number: number) => `Column ${number}`,
  columnHolds: (name: string) => `What ${name} holds`,
  notRead: 'Not read',
  columnKeys: {
    date: 'Date',
    payee: 'Payee',
    amount: 'Amount',
    debit: 'Money out',
    credit: 'Money in',
    notes: 'Notes',
    category: 'Category',
    tags: 'Tags',
    account: 'Account',
    currency: 'Currency',
    direction: 'In or out',
    status: 'Status',
    fee: 'Fee',
    balance: 'Balance',
    external_id: 'Id of the bank',
  },
  skipBad: 'Leave out rows that cannot be read',
  anyYear: 'Import years that cannot be right as they are',
  readAgain: 'Read again',
  readingAgain: 'Reading it again…',

  done: (count: number) => `${transactions(count)} imported`,
  doneNothing: 'Nothing was new: your book had all of it',
  undone: 'This import is undone',
  undoneHint: 'Its transactions are removed. The file can be imported again.',
  known: (count: number) => `${rows(count)} your book had already`,
  replaced: (count: number) => `${rows(count)} took the place of pending ones`,
  skipped: (count: number) => `${rows(count)} left out by choice`,
  toTransactions: 'Show them',
  toReview: 'Review',
  undo: 'Undo',
  undoOf: (name: string) => `Undo the import of ${name}`,
  redo: 'Restore',
  redoOf: (name: string) => `Restore the import of ${name}`,
  undoing: 'Undoing the import',
  redoing: 'Restoring the import',
  wasUndone: (name: string) => `The import of ${name} is undone`,
  wasRestored: (name: string) => `The import of ${name} is restored`,
  pruned: 'Too old to undo',
  prunedHint: 'The history of this book no longer goes back to it.',
  statusUndone: 'Undone',
  unnamed: 'A file without a name',
} as const;
