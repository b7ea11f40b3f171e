import type { screenLabels, shell } from '../en/shell.ts';
import type { InLanguage } from '../translated.ts';

/** The texts of what surrounds every screen. */
export const shellDe: InLanguage<typeof shell> = {
  name: 'Coffer',
  messages: 'Meldungen',
  skip: 'Zum Inhalt',
  mainNavigation: 'Hauptnavigation',
  more: 'Mehr',
  loading: 'Wird geladen',
  notFound: 'Diese Seite gibt es nicht',
  notFoundHint: 'Der Link ist vielleicht alt. Die Navigation führt zu jeder Ansicht.',
  failed: 'Diese Ansicht ist abgestürzt',
  failedHint: 'Deine Daten sind sicher. Lade die Seite neu, und melde den Text unten.',
  reload: 'Neu laden',
  dropAnywhere: 'Loslassen, um die Dateien zu importieren',
  offline:
    'Der Server ist nicht erreichbar. Deine Änderungen bleiben hier und werden gesendet, sobald er wieder da ist.',
  waiting: (seconds) =>
    `Zu viele Anfragen: Coffer macht in ${seconds} s weiter. Nichts geht verloren.`,
  signOut: 'Abmelden',
  hideAmounts: 'Beträge verbergen',
  showAmounts: 'Beträge zeigen',
  theme: 'Farben',
  themes: { system: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
  palette: 'Gehe zu',
  palettePlaceholder: 'Ansicht, Aktion, Empfänger, Kategorie, Konto',
  search: (text) => `Buchungen nach „${text}“ durchsuchen`,
  add: 'Hinzufügen',
  find: 'Finden',
  findKey: 'Strg K',
  paletteNothing: 'Nichts passt',
  keys: 'Tasten',
  letterKeys: 'Buchstaben wirken in Listen von Buchungen',
  reference: 'API-Referenz',
};

/** The labels of the screens in the navigation. */
export const screensDe: InLanguage<typeof screenLabels> = {
  overview: 'Übersicht',
  transactions: 'Buchungen',
  review: 'Durchsehen',
  budget: 'Budget',
  recurring: 'Wiederkehrendes',
  reports: 'Berichte',
  import: 'Import',
  accounts: 'Konten',
  categories: 'Kategorien & Tags',
  rules: 'Regeln',
  history: 'Verlauf',
  settings: 'Einstellungen',
};
