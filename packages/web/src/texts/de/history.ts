import type { historyTexts } from '../en/history.ts';
import { recordNames } from '../en/undo.ts';
import { plural } from '../plural.ts';
import type { InLanguage } from '../translated.ts';

const list = new Intl.ListFormat('de', { type: 'conjunction' });
const done = (text: string) => (counts: string) => (counts === '' ? text : `${text}: ${counts}`);

/** The texts of the history of the book. */
export const historyDe: InLanguage<typeof historyTexts> = {
  title: 'Verlauf',
  summary: 'Jede Änderung deines Buchs, und ein Weg zurück.',
  empty: 'Noch nichts geschehen',
  emptyHint:
    'Importiere eine Bankdatei, oder füge eine Buchung hinzu: Jede Änderung erscheint hier und kann rückgängig gemacht werden.',
  toImport: 'Datei importieren',
  noMatch: 'Keine Änderung passt zu diesen Filtern',
  clear: 'Alle Änderungen zeigen',
  loading: 'Der Verlauf wird gelesen',
  retry: 'Noch einmal versuchen',
  older: 'Ältere Änderungen zeigen',
  end: 'Hier beginnt der Verlauf.',
  filters: 'Filter',
  actor: 'Wer',
  operation: 'Was',
  record: 'Datensätze',
  from: 'Von',
  to: 'Bis',
  anyone: 'Alle',
  anything: 'Alles',
  allRecords: 'Alle Datensätze',
  today: 'Heute',
  back: 'Alle Änderungen',
  undo: 'Rückgängig',
  redo: 'Wiederherstellen',
  undoOf: (what, version) => `Version ${version} rückgängig machen: ${what}`,
  state: 'Buch zu dieser Zeit',
  stateTitle: (version) => `Buchungen in Version ${version}`,
  stateHint: (time) =>
    `Wie sie am ${time} waren, gleich nach dieser Änderung. Hier kann nichts bearbeitet werden.`,
  stateEmpty: 'Das Buch hatte keine Buchungen',
  newer: 'Neuere',
  olderPage: 'Ältere',
  undoneBy: (version) => `Rückgängig gemacht durch Version ${version}`,
  undoes: (version) => `Macht Version ${version} rückgängig`,
  lastOwn: 'deine letzte Änderung',
  versionTitle: (version) => `Änderung ${version}`,
  version: (version) => `Version ${version}`,
  by: (who) => `von ${who}`,
  records: 'Datensätze',
  moreRecords: 'Mehr Datensätze zeigen',
  noRecords: 'Diese Änderung hat keine Datensätze mehr, die sich zeigen lassen.',
  before: 'Vorher',
  after: 'Nachher',
  none: 'nichts',
  yes: 'ja',
  no: 'nein',
  columns: { date: 'Datum', payee: 'Empfänger', category: 'Kategorie', amount: 'Betrag' },
  kinds: { made: 'Hinzugefügt', changed: 'Geändert', removed: 'Gelöscht' },
  wasUndone: (what) => `Rückgängig gemacht: ${what}`,
  undoUnderWay: 'Ein großer Import wird im Hintergrund rückgängig gemacht.',
  nothingToUndo: 'Es gibt keine Änderung von dir, die rückgängig gemacht werden kann',
  pruned: 'Der Verlauf reicht nicht mehr bis zu dieser Änderung zurück',
  prunedHint: (oldest) =>
    oldest === null
      ? 'Älterer Verlauf wurde gelöscht, um Platz zu sparen. Die Datensätze selbst sind, wie sie waren.'
      : `Älterer Verlauf wurde gelöscht, um Platz zu sparen. Er beginnt mit Version ${oldest}. Die Datensätze selbst sind, wie sie waren.`,
  gone: 'Diese Änderung gibt es nicht',
  goneHint: 'Der Link ist vielleicht alt.',
  actors: {
    command: 'Kommandozeile',
    job: 'Coffer selbst',
    token: (name) => `${name} (Zugriffstoken)`,
    unnamed: 'Jemand',
  },
  counts: {
    verbs: {
      made: (what) => `${what} hinzugefügt`,
      changed: (what) => `${what} geändert`,
      removed: (what) => `${what} gelöscht`,
    },
    counted: (record, count) => {
      const { one, other } = recordNames[record] ?? { one: record, other: record };
      return plural(count, { one: `# ${one}`, other: `# ${other}` });
    },
    list: (parts) => list.format(parts),
    nothing: '',
    others: (kinds) => `${kinds} andere Arten von Datensätzen`,
  },
  operations: {
    import: done('Datei importiert'),
    commitImport: done('Datei importiert'),
    undoImport: done('Import rückgängig gemacht'),
    'imports undo': done('Import rückgängig gemacht'),
    redoImport: done('Import wiederhergestellt'),
    'imports redo': done('Import wiederhergestellt'),
    undoChange: done('Änderung rückgängig gemacht'),
    undoLastChange: done('Änderung rückgängig gemacht'),
    undo: done('Änderung rückgängig gemacht'),
    demo: done('Das Demobuch gefüllt'),
    rates: done('Wechselkurse aktualisiert'),
    splitTransaction: done('Buchung aufgeteilt'),
    unsplitTransaction: done('Aufteilung rückgängig gemacht'),
    groupTransactions: done('Buchungen gruppiert'),
    ungroupTransactions: done('Gruppe aufgelöst'),
    attachFileToTransaction: done('Datei angehängt'),
    mergeCategory: done('Kategorien zusammengelegt'),
    'category merge': done('Kategorien zusammengelegt'),
    mergeManualAccount: done('Konten zusammengelegt'),
    'account merge': done('Konten zusammengelegt'),
    applyRules: done('Regeln angewendet'),
    orderRules: done('Regeln geordnet'),
    upsertBudget: done('Budget gesetzt'),
    deleteBudget: done('Budget entfernt'),
    sync: done('Bank gelesen'),
    refresh: done('Bank gelesen'),
  },
};
