import type { ruleForm, rulesTexts, ruleWords } from '../en/rules.ts';
import { plural } from '../plural.ts';
import type { InLanguage } from '../translated.ts';

const transactions = (count: number): string =>
  plural(count, { one: '# Buchung', other: '# Buchungen' });

/** The texts of rules. */
export const rulesDe: InLanguage<typeof rulesTexts> = {
  title: 'Regeln',
  summary: 'Eine Regel ergänzt neue Buchungen. Die erste wird zuerst angewendet.',
  create: 'Neue Regel',
  empty: 'Noch keine Regel',
  emptyHint:
    'Eine Regel gibt neuen Buchungen eine Kategorie, einen Empfänger oder Tags. Drücke „r“ auf einer Buchung, um eine für ihren Empfänger zu machen.',
  list: 'Regeln in der Reihenfolge, in der sie gelten',
  isOn: (name) => `${name} ist an`,
  off: 'Aus',
  tags: 'Tags',
  edit: (name) => `${name} bearbeiten`,
  more: (name) => `Aktionen für ${name}`,
  menu: {
    edit: 'Bearbeiten',
    apply: 'Auf vergangene Buchungen anwenden',
    up: 'Nach oben',
    down: 'Nach unten',
    remove: 'Löschen',
  },
  turnedOn: (name) => `${name} ist jetzt an`,
  turnedOff: (name) => `${name} ist aus`,
  moved: (name) => `${name} ist verschoben`,
  created: (name, past) =>
    past === 0 ? `${name} ist angelegt` : `${name} ist angelegt, ${transactions(past)} geändert`,
  saved: (name, past) =>
    past === 0
      ? `${name} ist gespeichert`
      : `${name} ist gespeichert, ${transactions(past)} geändert`,
  removed: (name) => `${name} ist gelöscht`,
  applied: (count) => `${transactions(count)} geändert`,
  applying: {
    title: (name) => `${name} anwenden`,
    confirm: 'Ändern',
  },
};

/** A rule in words. */
export const ruleWordsDe: InLanguage<typeof ruleWords> = {
  quoted: (text) => `„${text}“`,
  payee: {
    is: 'Empfänger ist',
    contains: 'Empfänger enthält',
    starts_with: 'Empfänger beginnt mit',
  },
  notes: { is: 'Notizen sind', contains: 'Notizen enthalten', starts_with: 'Notizen beginnen mit' },
  exactly: (amount) => `Betrag ${amount}`,
  between: (least, most) => `Betrag ${least} bis ${most}`,
  least: (amount) => `mindestens ${amount}`,
  most: (amount) => `höchstens ${amount}`,
  signs: { debit: 'Ausgang', credit: 'Eingang' },
  account: (name) => `Konto ${name}`,
  ofCategory: (name) => `Kategorie ${name}`,
  newPayee: (name) => `Empfänger „${name}“`,
  tag: (name) => `Tag „${name}“`,
  newNotes: (text) => `Notizen „${text}“`,
  reviewed: 'durchgesehen',
  unreviewed: 'durchzusehen',
  excluded: 'nicht in Summen',
  split: (count) => plural(count, { other: 'in # aufgeteilt' }),
  stop: 'spätere Regeln entfallen',
  gone: 'gelöscht',
};

/** The texts of the dialog of a rule. */
export const ruleFormDe: InLanguage<typeof ruleForm> = {
  newTitle: 'Neue Regel',
  editTitle: 'Regel',
  create: 'Anlegen',
  save: 'Speichern',
  when: 'Wenn',
  then: 'Dann',
  payee: 'Empfänger',
  compared: 'Verglichen als',
  operators: { is: 'der ganze Text', contains: 'ein Teil davon', starts_with: 'sein Anfang' },
  moreWhen: 'Mehr Bedingungen',
  least: 'Betrag von',
  most: 'bis',
  direction: 'Richtung',
  directions: { any: 'Beide', debit: 'Ausgang', credit: 'Eingang' },
  account: 'Konto',
  anyAccount: 'Jedes Konto',
  ofCategory: 'Hat die Kategorie',
  anyCategory: 'Jede Kategorie',
  notes: 'Notizen',
  category: 'Kategorie',
  keepCategory: 'Wie sie ist',
  moreThen: 'Mehr Aktionen',
  newPayee: 'Neuer Empfänger',
  newNotes: 'Neue Notizen',
  status: 'Durchsicht',
  statuses: { keep: 'Wie sie ist', yes: 'Durchgesehen', no: 'Durchzusehen' },
  excluded: 'Aus Summen heraushalten',
  stop: 'Spätere Regeln auslassen',
  split: (count) =>
    plural(count, { other: 'Neue Buchungen werden wie bisher in # Teile aufgeteilt.' }),
  name: 'Name',
  nameHint: 'Wird aus den Bedingungen gebildet, wenn du ihn leer lässt.',
  unnamed: 'Regel',
  preview: 'Vorschau',
  incomplete: 'Setze eine Bedingung und eine Aktion, um zu sehen, was die Regel ändern würde.',
  counting: 'Wird gezählt …',
  changes: (changed, examined) =>
    changed === 0
      ? `Keine von ${transactions(examined)} würde sich ändern.`
      : `${plural(changed, { one: '# von', other: '# von' })} ${transactions(examined)} würden sich ändern:`,
  others: (count) => plural(count, { other: 'und # weitere' }),
  past: (count) =>
    plural(count, {
      one: 'Diese Buchung jetzt ändern',
      other: 'Diese # Buchungen jetzt ändern',
    }),
};
