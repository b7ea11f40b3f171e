import type { bookTexts } from '../en/book.ts';
import { plural } from '../plural.ts';
import type { InLanguage } from '../translated.ts';

/** The texts about the name and the currency of the book. */
export const bookDe: InLanguage<typeof bookTexts> = {
  edit: 'Name und Währung',
  editName: 'Umbenennen',
  name: 'Name',
  currency: 'Währung',
  currencyHint:
    'Summen, Berichte und Budgets sind in dieser Währung. Du kannst sie hier ändern, bis es ein Konto, eine ' +
    'Buchung oder ein Budget gibt, und später in den Einstellungen.',
  saved: (name, currency) => `Das Buch heißt jetzt ${name}, in ${currency}`,
  change: {
    title: 'Währung ändern',
    hint: 'Alle Summen, Berichte und Budgets sind in dieser Währung.',
    intro:
      'Jeder Betrag bleibt, wie er ist, in seiner eigenen Währung. Was er in der neuen Währung wert ist, wird neu ' +
      'berechnet, zum Kurs seines Tages.',
    budgets: 'Budgets',
    choices: { convert: 'Umrechnen', keep: 'Zahlen behalten' },
    revalued: (count) =>
      plural(count, {
        one: '# Wert wird neu berechnet.',
        other: '# Werte werden neu berechnet.',
      }),
    kept: (count, currency) =>
      plural(count, {
        one: `# Budget behält seine Zahl, und ist dann in ${currency}.`,
        other: `# Budgets behalten ihre Zahlen, und sind dann in ${currency}.`,
      }),
    converted: (count, currency) =>
      plural(count, {
        one: `# Budget wird in ${currency} umgerechnet, zum Kurs seines ersten Tages.`,
        other: `# Budgets werden in ${currency} umgerechnet, jedes zum Kurs seines ersten Tages.`,
      }),
    left: (count, currency) =>
      plural(count, {
        one: `# Budget bleibt in ${currency}, weil es keinen Kurs gibt.`,
        other: `# Budgets bleiben in ${currency}, weil es keinen Kurs gibt.`,
      }),
    missing: (currency, count, days) =>
      plural(count, {
        one: `Kein Kurs für # Betrag in ${currency} (${days}): Er zählt als 0, bis der Betreiber des Servers Kurse importiert.`,
        other: `Kein Kurs für # Beträge in ${currency} (${days}): Sie zählen als 0, bis der Betreiber des Servers Kurse importiert.`,
      }),
    undoable: 'Es ist eine Änderung, die sich rückgängig machen lässt.',
    changed: 'Das Buch hat sich inzwischen geändert: Sieh dir die Zahlen noch einmal an.',
    done: (currency) => `Das Buch ist jetzt in ${currency}`,
  },
};
