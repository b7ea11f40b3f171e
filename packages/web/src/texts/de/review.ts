import type { reviewTexts } from '../en/review.ts';
import { plural } from '../plural.ts';
import type { InLanguage } from '../translated.ts';

/** The texts of the inbox. */
export const reviewDe: InLanguage<typeof reviewTexts> = {
  title: 'Durchsehen',
  left: (count) =>
    plural(count, { one: '# Buchung durchzusehen', other: '# Buchungen durchzusehen' }),
  doneTitle: 'Alles durchgesehen',
  doneHint: 'Jede Buchung ist angesehen. Neue erscheinen hier nach dem nächsten Import.',
  toSpending: 'Ausgaben dieses Monats',
  toImport: 'Nächste Datei importieren',
  actions: 'Aktionen für die Buchung',
  mark: 'Durchgesehen',
  category: 'Kategorie',
  notes: 'Notizen',
  split: 'Aufteilen',
  undo: 'Rückgängig',
  accept: (category) => `${category}?`,
  pair: (account) => `Umbuchung ${account}?`,
  all: (count) => plural(count, { other: 'Alle #' }),
  ofPayee: (payee) => `von ${payee}`,
  tag: 'Tag',
  deselect: 'Abwählen',
};
