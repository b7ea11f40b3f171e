import type { bookTexts } from '../en/book.ts';
import type { InLanguage } from '../translated.ts';

/** The texts about the name and the currency of the book. */
export const bookDe: InLanguage<typeof bookTexts> = {
  edit: 'Name und Währung',
  name: 'Name',
  currency: 'Währung',
  currencyHint:
    'Summen, Berichte und Budgets sind in ihr. Du kannst sie ändern, bis es ein Konto, eine Buchung oder ein Budget gibt.',
  saved: (name, currency) => `Das Buch heißt jetzt ${name}, in ${currency}`,
};
