import { counted, plural } from '../plural.ts';

/** The texts about the name and the currency of the book. */
export const bookTexts = {
  edit: 'Name and currency',
  editName: 'Rename',
  name: 'Name',
  currency: 'Currency',
  currencyHint:
    'Totals, reports and budgets are in this currency. You can change it here until there is an account, a ' +
    'transaction or a budget, and later in the settings.',
  saved: (name: string, currency: string) => `The book is now ${name}, in ${currency}`,
  change: {
    title: 'Change the currency',
    hint: 'All totals, reports and budgets are in this currency.',
    intro:
      'Every amount stays as it is, in its own currency. What it is worth in the new currency is computed again, at ' +
      'the rate of its day.',
    budgets: 'Budgets',
    choices: { convert: 'Convert', keep: 'Keep the numbers' },
    revalued: counted({
      one: '# value is computed again.',
      other: '# values are computed again.',
    }),
    kept: (count: number, currency: string) =>
      plural(count, {
        one: `# budget keeps its number, and is in ${currency} then.`,
        other: `# budgets keep their numbers, and are in ${currency} then.`,
      }),
    converted: (count: number, currency: string) =>
      plural(count, {
        one: `# budget is converted to ${currency}, at the rate of its first day.`,
        other: `# budgets are converted to ${currency}, each at the rate of its first day.`,
      }),
    left: (count: number, currency: string) =>
      plural(count, {
        one: `# budget stays in ${currency}, because there is no rate.`,
        other: `# budgets stay in ${currency}, because there is no rate.`,
      }),
    missing: (currency: string, count: number, days: string) =>
      plural(count, {
        one: `No rate for # amount in ${currency} (${days}): it counts as 0 until who runs the server imports rates.`,
        other: `No rate for # amounts in ${currency} (${days}): they count as 0 until who runs the server imports rates.`,
      }),
    undoable: 'It is one change, which can be undone.',
    changed: 'The book has changed meanwhile: look at the numbers again.',
    done: (currency: string) => `The book is in ${currency} now`,
  },
} as const;
