import type { overviewTexts } from '../en/overview.ts';
import { plural } from '../plural.ts';
import type { InLanguage } from '../translated.ts';

/** The texts of the first screen. */
export const overviewDe: InLanguage<typeof overviewTexts> = {
  title: 'Übersicht',
  emptyTitle: 'Zieh eine Bankdatei hierher',
  emptyHint:
    'Alles beginnt mit Buchungen: Importiere eine Datei deiner Bank, oder lege ein Konto mit seinem Stand von Hand an.',
  toImport: 'Datei importieren',
  toAccounts: 'Konto hinzufügen',
  netWorth: 'Vermögen',
  netWorthTrend: 'Vermögen in den letzten zwölf Monaten',
  sinceMonth: (month) => `seit Ende ${month}`,
  unchanged: (since) => `Keine Änderung ${since}`,
  spending: (month) => `Ausgaben im ${month}`,
  spendingChart: (month, before) => `Ausgaben im ${month}, Tag für Tag, und im ${before}`,
  less: (month) => `weniger als im ${month}`,
  lessByDay: (month, day) => `weniger als im ${month} bis zum ${day}.`,
  more: (month) => `mehr als im ${month}`,
  moreByDay: (month, day) => `mehr als im ${month} bis zum ${day}.`,
  same: (month) => `So viel wie im ${month}`,
  nothingYet: (month) => `Im ${month} gibt es noch keine Buchungen, daher der Monat davor.`,
  noSpending: 'Keine Ausgaben in diesem Monat',
  categories: 'Größte Kategorien',
  allCategories: 'Alle Kategorien',
  noCategory: 'Keine Kategorie',
  upcoming: 'Demnächst',
  noUpcoming: 'In den nächsten fünf Wochen wird keine regelmäßige Buchung erwartet.',
  toRecurring: 'Wiederkehrendes',
  accounts: 'Konten',
  noAccounts: 'Noch keine Konten',
  allAccounts: 'Alle Konten',
  review: 'Durchzusehen',
  toReview: 'Durchsehen',
  allReviewed: 'Alles durchgesehen',
  lastImport: 'Letzter Import',
  noImport: 'Noch nichts importiert.',
  importOf: (count) => plural(count, { one: '# neue Buchung', other: '# neue Buchungen' }),
  day: (day) => `${day}. Tag`,
};
