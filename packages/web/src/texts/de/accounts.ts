import type { accountsTexts } from '../en/accounts.ts';
import { plural } from '../plural.ts';
import type { InLanguage } from '../translated.ts';

/** The texts of the accounts. */
export const accountsDe: InLanguage<typeof accountsTexts> = {
  title: 'Konten',
  netWorth: 'Vermögen',
  owned: 'Guthaben',
  owed: 'Schulden',
  add: 'Konto hinzufügen',
  none: 'Noch kein Konto',
  noneHint:
    'Lege für jeden Ort, an dem du Geld hast, ein Konto an. Ein Import kann das auch für dich tun.',
  toImport: 'Bankdatei importieren',
  types: {
    cash: 'Bargeld und Girokonten',
    depository: 'Bankkonten',
    credit: 'Kreditkarten',
    cryptocurrency: 'Krypto',
    'employee compensation': 'Mitarbeiterbeteiligung',
    investment: 'Geldanlagen',
    brokerage: 'Depots',
    loan: 'Kredite',
    'other liability': 'Andere Schulden',
    'other asset': 'Andere Werte',
    'real estate': 'Immobilien',
    vehicle: 'Fahrzeuge',
  },
  closed: 'Geschlossen',
  synced: 'Verbunden',
  showClosed: (count) =>
    plural(count, {
      one: '# geschlossenes Konto zeigen',
      other: '# geschlossene Konten zeigen',
    }),
  noRate: 'kein Kurs',
  asOf: (date) => `Stand ${date}`,
  editBalance: (name) => `Stand von ${name} ändern`,
  balanceOf: (name) => `Stand von ${name}`,
  balanceChanged: (name) => `Der Stand von ${name} ist geändert`,
  more: (name) => `Aktionen für ${name}`,
  transactions: 'Buchungen',
  history: 'Verlauf der Stände',
  edit: 'Bearbeiten',
  merge: 'Mit einem anderen zusammenlegen',
  close: 'Schließen',
  reopen: 'Wieder öffnen',
  remove: 'Löschen',
  created: (name) => `${name} ist hinzugefügt`,
  changed: (name) => `${name} ist geändert`,
  closedNow: (name) => `${name} ist geschlossen`,
  reopened: (name) => `${name} ist wieder offen`,
  removed: (name) => `${name} ist gelöscht`,
  form: {
    name: 'Name',
    institution: 'Bank oder Institut',
    type: 'Art',
    currency: 'Währung',
    balance: 'Stand',
    owed: 'Geschuldeter Betrag',
    hide: 'Nicht für neue Buchungen anbieten',
  },
  removing: {
    title: (name) => `${name} löschen?`,
    none: 'Keine Buchung gehört dazu.',
    some: (count) =>
      plural(count, {
        one: '# Buchung gehört dazu. Sie bleibt in deinen Listen, ohne den Namen des Kontos.',
        other: '# Buchungen gehören dazu. Sie bleiben in deinen Listen, ohne den Namen des Kontos.',
      }),
    items: 'Auch seine Buchungen, Regeln und wiederkehrenden Buchungen löschen',
    balances: 'Auch den Verlauf seiner Stände löschen',
    balancesHint: 'Sonst bleibt das Vermögen vergangener Monate, wie es war.',
    close: 'Um ein Konto nicht mehr zu benutzen und alles zu behalten, schließe es.',
    confirm: 'Konto löschen',
  },
  merging: {
    title: (name) => `${name} mit einem anderen Konto zusammenlegen`,
    into: 'Ziel',
    choose: 'Konto wählen',
    effect: (count, name) =>
      plural(count, {
        one: `# Buchung zieht um, und ${name} wird gelöscht.`,
        other: `# Buchungen ziehen um, und ${name} wird gelöscht.`,
      }),
    balance: 'Seinen Stand zu dem des anderen Kontos zählen',
    confirm: 'Zusammenlegen',
    done: (count) =>
      plural(count, {
        one: 'Zusammengelegt: # Buchung ist umgezogen',
        other: 'Zusammengelegt: # Buchungen sind umgezogen',
      }),
  },
  balances: {
    none: 'Es gibt noch keinen Stand eines vergangenen Monats.',
    label: (name) => `Stand von ${name} nach Monaten`,
    month: 'Monat',
    balance: 'Stand',
    table: 'Alle Monate als Tabelle',
  },
  gone: 'Dieses Konto gibt es nicht',
  goneHint: 'Vielleicht wurde es gelöscht oder mit einem anderen zusammengelegt.',
  toAll: 'Alle Konten',
};
