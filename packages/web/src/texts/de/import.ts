import type { importTexts } from '../en/import.ts';
import { withOptionWords } from '../option-words.ts';
import { plural } from '../plural.ts';
import type { InLanguage } from '../translated.ts';

const transactions = (count: number): string =>
  plural(count, { one: '# Buchung', other: '# Buchungen' });
const rows = (count: number): string => plural(count, { one: '# Zeile', other: '# Zeilen' });

const dateFormats: Readonly<Record<string, string>> = {
  'y-m-d': '2026-03-31, Jahr zuerst',
  'd/m/y': '31/03/2026, Tag zuerst',
  'm/d/y': '03/31/2026, Monat zuerst',
};
const howRead = 'Wie die Datei gelesen wird';

/** The texts of the screen that imports bank files. */
export const importDe: InLanguage<typeof importTexts> = {
  title: 'Import',
  summary: 'Dateien deiner Bank: CSV, OFX, QFX, QIF, CAMT, MT940, Tabellen und Journale.',
  drop: 'Bankdateien hierher ziehen',
  dropHint:
    'Oder wähle sie, oder füge eine Tabelle mit Strg V ein. Nichts wird importiert, bevor du es gesehen hast.',
  choose: 'Dateien wählen',
  pastedName: 'eingefuegt.csv',
  open: 'Noch nicht importiert',
  past: 'Importiert',
  pastNone:
    'Hier werden importierte Dateien aufgelistet, und jeder Import kann rückgängig gemacht werden.',
  older: 'Ältere Importe zeigen',
  waiting: 'Wartet auf die Datei davor',
  sending: 'Wird gesendet',
  steps: { storing: 'Speichern', reading: 'Lesen', comparing: 'Mit deinem Buch vergleichen' },
  reading: 'Wird gelesen',
  importing: 'Wird importiert',
  stepOf: (step, done, total) => `${step}: ${done} von ${total}`,
  working: (name) => `${name} wird bearbeitet`,
  show: 'Zeigen',
  discard: 'Verwerfen',
  discardOf: (name) => `${name} verwerfen`,
  discarded: (name) => `${name} wurde verworfen. Nichts wurde importiert.`,
  back: 'Alle Importe',
  next: (name) => `Nächste Datei: ${name}`,

  balanceOn: (day) => `Stand am ${day}:`,
  balanceMatches: 'stimmt auf den Cent',
  balanceDiffers: 'Abweichung von den Zeilen',

  refused: (name) => `${name} lässt sich nicht lesen`,
  refusedHint:
    'Nichts wurde importiert. Sag unten, wie sie zu lesen ist, oder wähle bei deiner Bank ein anderes Format.',
  tooLarge: 'Die Datei ist größer als 50 MB. Wähle bei deiner Bank einen kürzeren Zeitraum.',
  empty: 'Die Datei ist leer. Lade sie noch einmal herunter.',
  line: 'Zeile',
  column: 'Spalte',
  value: 'Wert',
  problem: 'Problem',
  moreProblems: (count) =>
    `Und ${plural(count, { one: '# weiteres Problem', other: '# weitere Probleme' })}`,
  failed: 'Der Import hat nicht stattgefunden',
  verdictsChanged:
    'Dein Buch hat sich inzwischen geändert. Die Zeilen unten sind neu beurteilt: Prüfe sie, und importiere.',
  expired: 'Diese Vorschau ist abgelaufen',
  expiredHint: 'Wähle die Datei noch einmal. Nichts wurde importiert.',
  gone: 'Diesen Import gibt es nicht mehr',
  goneHint: 'Er wurde verworfen oder ist abgelaufen. Wähle die Datei noch einmal.',

  import: (count) => `${transactions(count)} importieren`,
  importUnnamed: (count) => `${transactions(count)} ohne Konto importieren`,
  importNothing: 'Nichts zu importieren',
  nothingHint:
    'Dein Buch hat alle diese Zeilen schon. Verwirf die Datei, oder wähle unten Zeilen aus.',
  verdict: {
    new: 'Neu',
    doubtful: 'Unklar',
    known: 'Bekannt',
    replaces: 'Gebucht',
    bad: 'Fehlerhaft',
  },
  verdictHint: {
    new: 'Noch nicht in deinem Buch',
    doubtful: 'Dein Buch hat sie vielleicht schon: entscheide',
    known: 'Dein Buch hat sie schon',
    replaces: 'Ersetzt eine vorgemerkte Buchung',
    bad: 'Lässt sich nicht lesen und wird ausgelassen',
  },
  all: 'Alle',
  filter: 'Zeilen',
  rowsLabel: 'Zeilen der Datei',
  isImported: 'Wird importiert',
  leftOut: 'Ausgelassen',
  date: 'Datum',
  payee: 'Empfänger',
  account: 'Konto',
  amount: 'Betrag',
  verdictColumn: 'Urteil',
  doubtfulTitle: (count) =>
    `${plural(count, { one: '# Zeile ist', other: '# Zeilen sind' })} vielleicht schon in deinem Buch`,
  keepDoubtful: 'Importieren',
  skipDoubtful: 'Auslassen',
  badTitle: (count) =>
    plural(count, {
      one: '# Zeile lässt sich nicht lesen und wird ausgelassen',
      other: '# Zeilen lassen sich nicht lesen und werden ausgelassen',
    }),
  showBad: 'Zeigen',
  creates: (accounts, categories, tags) =>
    [
      accounts > 0 && plural(accounts, { one: '# neues Konto', other: '# neue Konten' }),
      categories > 0 && plural(categories, { one: '# neue Kategorie', other: '# neue Kategorien' }),
      tags > 0 && plural(tags, { one: '# neues Tag', other: '# neue Tags' }),
    ]
      .filter((part) => part !== false)
      .join(', '),
  withoutRate: (count) =>
    plural(count, {
      one: '# Buchung hat keinen Wechselkurs und zählt in Berichten als 0, bis es einen gibt',
      other:
        '# Buchungen haben keinen Wechselkurs und zählen in Berichten als 0, bis es einen gibt',
    }),
  rows,
  leftOutLines: 'Keine Buchungen',

  accountsTitle: 'Konten',
  accountNew: 'Neues Konto',
  accountKnown: 'Konto deines Buchs',
  accountMissing: 'Die Datei nennt ihr Konto nicht',
  accountMissingHint:
    'Wähle das Konto, zu dem sie gehört. Coffer merkt es sich für solche Dateien.',
  accountGuess: (name) =>
    `Ist ${name} das richtige Konto? Die letzte Datei mit diesen Spalten gehörte dazu, sonst sagt es nichts in dieser Datei.`,
  accountChoices: 'Frühere Dateien mit diesen Spalten gehörten zu mehreren Konten. Welches ist es?',
  accountChosen: 'Dorthin kommen die Zeilen, wenn du sie importierst',
  accountChoose: 'Konto',
  accountPlaceholder: 'Tippen, um zu finden oder anzulegen',
  accountChange: 'Ändern',
  accountOf: (name) => `Konto ${name} ändern`,

  howRead,
  warning: (text) => withOptionWords(text, (words) => `${words} („${howRead}“)`),
  remembered: 'Gemerkt von einer früheren Datei mit denselben Spalten',
  readAs: (dates, letters) => `Daten: ${dateFormats[dates] ?? dates} · Zeichen: ${letters}`,
  willRemember: 'Was du wählst, wird für Dateien mit denselben Spalten gemerkt.',
  fileNeeded:
    'Um sie anders zu lesen, wähle die Datei noch einmal: Sie wurde gesendet, bevor diese Seite geladen wurde.',
  chooseAgain: 'Noch einmal wählen',
  found: 'Wie in der Datei gefunden',
  dateFormat: 'Daten',
  dateFormats,
  decimal: 'Dezimalzeichen',
  decimals: { point: 'Punkt: 1,234.50', comma: 'Komma: 1.234,50' },
  sign: 'Vorzeichen',
  signs: { false: 'Ausgaben sind negativ', true: 'Ausgaben sind positiv' },
  encoding: 'Zeichen',
  currency: 'Währung von Zeilen ohne eine',
  columns: 'Spalten',
  holds: 'Enthält',
  columnsHint: 'Eine Datei braucht ein Datum, und einen Betrag oder Ausgang und Eingang.',
  columnNumber: (number) => `Spalte ${number}`,
  columnHolds: (name) => `Was ${name} enthält`,
  notRead: 'Nicht gelesen',
  columnKeys: {
    date: 'Datum',
    payee: 'Empfänger',
    amount: 'Betrag',
    debit: 'Ausgang',
    credit: 'Eingang',
    notes: 'Notizen',
    category: 'Kategorie',
    tags: 'Tags',
    account: 'Konto',
    currency: 'Währung',
    direction: 'Ein- oder Ausgang',
    status: 'Status',
    fee: 'Gebühr',
    balance: 'Stand',
    external_id: 'Kennung der Bank',
  },
  skipBad: 'Zeilen auslassen, die sich nicht lesen lassen',
  anyYear: 'Jahre importieren, wie sie sind, auch wenn sie nicht stimmen können',
  readAgain: 'Noch einmal lesen',
  readingAgain: 'Wird noch einmal gelesen …',

  done: (count) => `${transactions(count)} importiert`,
  doneNothing: 'Nichts war neu: Dein Buch hatte alles',
  undone: 'Dieser Import ist rückgängig gemacht',
  undoneHint: 'Seine Buchungen sind entfernt. Die Datei kann noch einmal importiert werden.',
  known: (count) => `${rows(count)} hatte dein Buch schon`,
  replaced: (count) =>
    plural(count, {
      one: '# Zeile hat eine vorgemerkte ersetzt',
      other: '# Zeilen haben vorgemerkte ersetzt',
    }),
  skipped: (count) => `${rows(count)} auf Wunsch ausgelassen`,
  toTransactions: 'Zeigen',
  toReview: 'Durchsehen',
  undo: 'Rückgängig',
  undoOf: (name) => `Import von ${name} rückgängig machen`,
  redo: 'Wiederherstellen',
  redoOf: (name) => `Import von ${name} wiederherstellen`,
  undoing: 'Der Import wird rückgängig gemacht',
  redoing: 'Der Import wird wiederhergestellt',
  wasUndone: (name) => `Der Import von ${name} ist rückgängig gemacht`,
  wasRestored: (name) => `Der Import von ${name} ist wiederhergestellt`,
  pruned: 'Zu alt zum Rückgängigmachen',
  prunedHint: 'Der Verlauf dieses Buchs reicht nicht mehr so weit zurück.',
  statusUndone: 'Rückgängig gemacht',
  unnamed: 'Eine Datei ohne Namen',
};
