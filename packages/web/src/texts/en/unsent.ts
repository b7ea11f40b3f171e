import { plural } from '../plural.ts';

/** The texts of what was typed and is not stored by the server yet. */
export const unsentTexts = {
  title: 'Not sent yet',
  waiting: (count: number) =>
    plural(count, { one: '# entry is not sent yet.', other: '# entries are not sent yet.' }),
  show: 'Show',
  kept: 'Kept in this browser, and sent when the server can be reached',
  arrived: 'What was typed without a connection is stored',
  edit: (fields: string) => `Changed: ${fields}`,
  fields: {
    payee: 'payee',
    amount: 'amount',
    date: 'date',
    category_id: 'category',
    notes: 'notes',
    tag_ids: 'tags',
    status: 'review',
    manual_account_id: 'account',
    plaid_account_id: 'account',
  } as Readonly<Record<string, string>>,
  value: (field: string, value: string) => `${field} “${value}”`,
  waits: 'Waits for the server',
  refused: (problem: string) => `Not stored: ${problem}`,
  conflict: (fields: string) => `Somebody else has changed it since: ${fields}`,
  again: 'Send again',
  mine: 'Keep mine',
  theirs: 'Keep theirs',
  discard: 'Discard',
  leaving: 'Sign out with entries that are not sent?',
  leavingHint: 'They are in this browser alone. Send them first, or discard them.',
  send: 'Send and sign out',
  discardAll: 'Discard and sign out',
  offlineTitle: 'The server cannot be reached',
  offlineHint: 'You can add transactions. They are kept in this browser, and sent when it is back.',
  add: 'Add a transaction',
} as const;
