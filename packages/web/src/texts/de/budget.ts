import type { budgetSettingsTexts, budgetTexts, moveTexts } from '../en/budget.ts';
import { plural } from '../plural.ts';
import type { InLanguage } from '../translated.ts';

const units = {
  day: ['einem Tag', 'Tagen'],
  week: ['einer Woche', 'Wochen'],
  month: ['einem Monat', 'Monaten'],
  year: ['einem Jahr', 'Jahren'],
  'twice a month': ['einem halben Monat', 'halben Monaten'],
} as const;

/** The texts of the budget. */
export const budgetDe: InLanguage<typeof budgetTexts> = {
  title: 'Budget',
  before: 'Früherer Zeitraum',
  after: 'Späterer Zeitraum',
  current: 'Heute',
  actions: 'Aktionen für diesen Zeitraum',
  settings: 'Zeiträume und Einkommen',
  rule: (count, unit) => {
    const [one, other] = units[unit];
    return `Zeiträume von ${plural(count, { one, other: `# ${other}` })}`;
  },
  figures: 'Summen des Zeitraums',
  left: 'Noch auszugeben',
  overspent: 'Zu viel ausgegeben',
  spentOf: 'Ausgegeben',
  of: 'von',
  income: 'Eingenommen',
  toBudget: 'Noch zu verteilen',
  overBudget: 'Mehr verteilt als eingenommen',
  pool: 'mit dem Rest früherer Zeiträume',
  stillComing: 'Wiederkehrendes, das noch kommt',
  sheet: 'Budgets nach Kategorien',
  sections: { income: 'Einnahmen', spending: 'Ausgaben' },
  columns: {
    budgeted: 'Budget',
    spent: 'Ausgegeben',
    received: 'Eingenommen',
    left: 'Übrig',
    missing: 'Kommt noch',
    recurring: 'Wiederkehrend',
  },
  total: 'Summe',
  uncategorized: 'Ohne Kategorie',
  none: 'keines',
  notBudgeted: 'Nicht in Budgets',
  fromMembers: 'Summe ihrer Kategorien',
  toCome: 'kommen noch',
  over: 'darüber',
  used: (percent) => `${percent} % verbraucht`,
  edit: (name) => `Budget von ${name}`,
  invalid: (text) => `„${text}“ ist kein Betrag`,
  saving: 'wird gespeichert',
  saved: (name) => `Das Budget von ${name} ist gespeichert`,
  removed: (name) => `Das Budget von ${name} ist entfernt`,
  refused: (name, reason) => `Das Budget von ${name} wurde nicht gespeichert: ${reason}`,
  editAgain: 'Noch einmal bearbeiten',
  undo: 'Rückgängig',
  copyPrevious: 'Vom letzten Zeitraum übernehmen',
  copyAverage: 'Durchschnitt der Ausgaben',
  clear: 'Budget entfernen',
  move: 'Geld in ein anderes Budget verschieben',
  carried: 'übernommen',
  carry: 'Den Rest in den nächsten Zeitraum mitnehmen',
  carryNot: 'Den Rest nicht mehr mitnehmen',
  carries: (name) => `${name} nimmt den Rest mit`,
  carriesNot: (name) => `${name} nimmt nichts mit`,
  fillPrevious: 'Leere Budgets mit dem letzten Zeitraum füllen',
  fillAverage: 'Leere Budgets mit dem Durchschnitt füllen',
  filled: (count) =>
    plural(count, { one: 'Ein Budget ist gefüllt', other: '# Budgets sind gefüllt' }),
  nothingToFill: 'Nichts zu füllen: Frühere Zeiträume haben nichts für leere Budgets',
  showUnused: (count) =>
    plural(count, {
      one: 'Eine unbenutzte Kategorie zeigen',
      other: '# unbenutzte Kategorien zeigen',
    }),
  hideUnused: 'Unbenutzte Kategorien verbergen',
  empty: 'Noch keine Kategorien für ein Budget',
  emptyHint:
    'Ein Budget ist ein Betrag für eine Kategorie. Lege zuerst Kategorien an, oder importiere eine Datei.',
  toCategories: 'Kategorien anlegen',
  toImport: 'Datei importieren',
  fresh: (period) => `Für ${period} ist noch nichts verteilt`,
  freshHint: 'Tippe einen Betrag in eine Zeile, oder beginne mit dem, was du hattest:',
  keys: 'Pfeile bewegen, Ziffern oder Enter bearbeiten, P übernimmt den letzten Zeitraum, A nimmt den Durchschnitt, U macht rückgängig.',
};

/** The texts of the dialog that moves money between budgets. */
export const moveDe: InLanguage<typeof moveTexts> = {
  title: 'Geld verschieben',
  from: 'Von',
  to: 'Nach',
  amount: 'Betrag',
  left: (name, left) => `${name} (${left})`,
  submit: 'Verschieben',
  moved: (from, to) => `Geld ist von ${from} nach ${to} verschoben`,
};

/** The texts of the settings of budgets. */
export const budgetSettingsDe: InLanguage<typeof budgetSettingsTexts> = {
  title: 'Zeiträume und Einkommen',
  every: 'Ein Zeitraum hat',
  unit: 'Einheit',
  units: {
    day: 'Tage',
    week: 'Wochen',
    month: 'Monate',
    year: 'Jahre',
    'twice a month': 'halbe Monate',
  },
  anchor: 'Ein Tag, an dem ein Zeitraum beginnt',
  anchorHint: 'Frühere und spätere schließen ohne Lücken an.',
  lastDay: 'Zeiträume von Monaten enden am letzten Tag eines Monats',
  income: 'Einkommen, das verteilt werden kann',
  incomes: {
    max: 'Das größere von beiden',
    budgeted: 'Was als Einnahme geplant ist',
    activity: 'Was eingenommen wurde',
  },
  rollover: 'Nicht verteiltes Einkommen in den nächsten Zeitraum mitnehmen',
  hide: 'Kategorien ohne Budget und Buchungen verbergen',
  kept: 'Budgets bleiben erhalten. Die keinen Zeitraum mehr beginnen, sind verborgen, bis die Zeiträume wieder passen.',
  saved: 'Die Einstellungen sind gespeichert',
};
