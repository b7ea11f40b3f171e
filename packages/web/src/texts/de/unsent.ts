import type { unsentTexts } from '../en/unsent.ts';
import { plural } from '../plural.ts';
import type { InLanguage } from '../translated.ts';

/** The texts of what was typed and is not stored by the server yet. */
export const unsentDe: InLanguage<typeof unsentTexts> = {
  title: 'Noch nicht gesendet',
  waiting: (count) =>
    plural(count, {
      one: '# Eintrag ist noch nicht gesendet.',
      other: '# Einträge sind noch nicht gesendet.',
    }),
  show: 'Zeigen',
  kept: 'In diesem Browser gespeichert; wird gesendet, sobald der Server erreichbar ist',
  arrived: 'Was ohne Verbindung getippt wurde, ist gespeichert',
  edit: (fields) => `Geändert: ${fields}`,
  fields: {
    payee: 'Empfänger',
    amount: 'Betrag',
    date: 'Datum',
    category_id: 'Kategorie',
    notes: 'Notizen',
    tag_ids: 'Tags',
    status: 'Status',
    manual_account_id: 'Konto',
    plaid_account_id: 'Konto',
  },
  value: (field, value) => `${field} „${value}“`,
  waits: 'Wartet auf den Server',
  refused: (problem) => `Nicht gespeichert: ${problem}`,
  conflict: (fields) => `Jemand anders hat inzwischen geändert: ${fields}`,
  again: 'Noch einmal senden',
  mine: 'Meine behalten',
  theirs: 'Andere behalten',
  discard: 'Verwerfen',
  leaving: 'Abmelden, obwohl Einträge nicht gesendet sind?',
  leavingHint: 'Sie sind nur in diesem Browser. Sende sie zuerst, oder verwirf sie.',
  send: 'Senden und abmelden',
  discardAll: 'Verwerfen und abmelden',
  offlineTitle: 'Der Server ist nicht erreichbar',
  offlineHint:
    'Du kannst Buchungen hinzufügen. Sie bleiben in diesem Browser und werden gesendet, sobald er wieder da ist.',
  add: 'Buchung hinzufügen',
};
