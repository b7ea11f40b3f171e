/** The texts of parts that every screen uses. */
export const partTexts = {
  close: 'Close',
  /** Read by screen readers in place of an amount in privacy mode. */
  hidden: 'hidden',
  notAmount: (text: string) => `"${text}" is not an amount`,
  dateLetters: { day: 'dd', month: 'mm', year: 'yyyy' },
  notDate: (pattern: string) => `Type a date as ${pattern}`,
  calendar: (label: string) => `Calendar: ${label}`,
} as const;
