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
  bound: (count) =>
    plural(count, {
      one: 'Ein Teil einer Aufteilung oder Gruppe ist übrig. Er lässt sich nicht allein markieren: Mach zuerst die Aufteilung oder Gruppe rückgängig.',
      other:
        '# Teile von Aufteilungen und Gruppen sind übrig. Sie lassen sich nicht allein markieren: Mach zuerst die Aufteilung oder Gruppe rückgängig.',
    }),
  toBound: 'Zeigen, was übrig ist',
  toSpending: 'Ausgaben dieses Monats',
  toImport: 'Nächste Datei importieren',
  actions: 'Aktionen für die Buchung',
  mark: 'Durchgesehen',
  category: 'Kategorie',
  notes: 'Notizen',
  split: 'Aufteilen',
  undo: 'Rückgängig',
  accept: (category) => `${category}?`,
  all: (count) => plural(count, { other: 'Alle #' }),
  ofPayee: (payee) => `von ${payee}`,
  tag: 'Tag',
  deselect: 'Abwählen',
};
