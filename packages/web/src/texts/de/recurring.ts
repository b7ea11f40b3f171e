import type { itemTexts, recurringTexts } from '../en/recurring.ts';
import { plural } from '../plural.ts';
import type { InLanguage } from '../translated.ts';

const rhythms = {
  day: ['Täglich', 'Tage'],
  week: ['Wöchentlich', 'Wochen'],
  month: ['Monatlich', 'Monate'],
  year: ['Jährlich', 'Jahre'],
} as const;

/** The texts of recurring items. */
export const recurringDe: InLanguage<typeof recurringTexts> = {
  title: 'Wiederkehrendes',
  summary: (active, suggested) => {
    const items = plural(active, {
      one: 'Eine wiederkehrende Buchung',
      other: '# wiederkehrende Buchungen',
    });
    const more = plural(suggested, { one: 'ein Vorschlag', other: '# Vorschläge' });
    return suggested === 0 ? items : `${items}, ${more}`;
  },
  views: 'Ansichten',
  list: 'Liste',
  calendar: 'Kalender',
  create: 'Neue wiederkehrende Buchung',
  empty: 'Noch nichts Wiederkehrendes',
  emptyHint:
    'Miete, Gehalt, Abos: Coffer verbindet ihre Buchungen und zeigt, welche fehlen. Vorschläge kommen nach drei regelmäßigen Zahlungen.',
  sections: { suggested: 'Vorgeschlagen', reviewed: 'Erwartet', dismissed: 'Abgelehnt' },
  suggestedHint: 'In deinen Buchungen gefunden. Nimm an, was stimmt.',
  accept: 'Annehmen',
  dismiss: 'Ablehnen',
  restore: 'Wieder annehmen',
  edit: (name) => `${name} bearbeiten`,
  acceptNamed: (name) => `${name} annehmen`,
  dismissNamed: (name) => `${name} ablehnen`,
  restoreNamed: (name) => `${name} wieder annehmen`,
  anyPayee: 'Jeder Empfänger',
  anyAccount: 'Jedes Konto',
  next: 'Nächste',
  ended: 'Beendet',
  today: 'Heute',
  last: (date) => `Zuletzt ${date}`,
  never: 'Noch nicht gefunden',
  missing: (date) => `Fehlt seit ${date}`,
  rhythm: (count, unit) => (count === 1 ? rhythms[unit][0] : `Alle ${count} ${rhythms[unit][1]}`),
  accepted: (name) => `${name} ist angenommen`,
  dismissed: (name) => `${name} ist abgelehnt`,
  created: (name) => `${name} ist angelegt`,
  saved: (name) => `${name} ist gespeichert`,
  removed: (name) => `${name} ist gelöscht`,
  failed: (name, reason) => `${name} wurde nicht geändert: ${reason}`,
  transactions: 'Buchungen',
  previous: 'Früherer Monat',
  following: 'Späterer Monat',
  current: 'Heute',
  calendarOf: (month) => `Wiederkehrendes im ${month}`,
  nothing: 'Nichts an diesem Tag',
  kinds: {
    found: 'gefunden',
    missing: 'fehlt',
    expected: 'erwartet',
    suggested: 'vorgeschlagen',
  },
  more: (count) => plural(count, { other: '# weitere' }),
  onDay: (date) => `Am ${date}`,
};

/** The texts of the dialog that edits an item. */
export const itemDe: InLanguage<typeof itemTexts> = {
  newTitle: 'Neue wiederkehrende Buchung',
  editTitle: 'Wiederkehrende Buchung',
  save: 'Speichern',
  create: 'Anlegen',
  remove: 'Löschen',
  payee: 'Empfänger',
  payeeHint: 'Wähle einen, und der Rest kommt von seiner letzten Buchung.',
  amount: 'Betrag',
  direction: 'Richtung',
  directions: { out: 'Ausgang', in: 'Eingang' },
  tolerance: 'Darf abweichen um',
  account: 'Konto',
  anyAccount: 'Jedes Konto',
  every: 'Alle',
  unit: 'Einheit',
  units: { day: 'Tage', week: 'Wochen', month: 'Monate', year: 'Jahre' },
  anchor: 'Einer der Tage',
  start: 'Von',
  end: 'Bis',
  optional: 'freiwillig',
  category: 'Kategorie',
  keepCategory: 'Die der Buchung',
  description: 'Beschreibung',
  shownPayee: 'Gezeigter Empfänger',
  shownNotes: 'Gezeigte Notizen',
  more: 'Mehr',
};
