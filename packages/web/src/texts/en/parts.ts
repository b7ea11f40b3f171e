/** The texts that every screen uses. */
export const partTexts = {
  close: 'Close',
  /** Read by screen readers in place of an amount in privacy mode. */
  hidden: 'hidden',
  notAmount: (text: string) => `"${text}" is not an amount`,
  dateLetters: { day: 'dd', month: 'mm', year: 'yyyy' },
  notDate: (pattern: string) => `Type a date as ${pattern}`,
  calendar: (label: string) => `Calendar: ${label}`,
  // Changes, and taking them back.
  undo: 'Undo',
  undone: 'The last change is taken back',
  nothing: 'There is nothing left to undo',
  /** Asked where a change would make a proved balance wrong. */
  proved: 'This balance is proved. Change it anyway?',
  anyway: 'Change anyway',
  loading: 'Loading',
  failed: 'This could not be loaded',
  retry: 'Try again',
  notDone: 'It was not saved',
  cancel: 'Cancel',
  save: 'Save',
  create: (name: string) => `Create “${name}”`,
  leaving: 'Discard what you typed?',
  leavingHint: 'It is not saved yet.',
  discard: 'Discard',
  copy: 'Copy',
  copied: 'Copied',
  selected: 'Selected: copy it with the keys of your system',
} as const;

/** The texts of what is created from a picker. */
export const createTexts = {
  created: (name: string) => `${name} is created`,
} as const;
