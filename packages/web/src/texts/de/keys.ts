import type { keySheet } from '../en/keys.ts';
import type { InLanguage } from '../translated.ts';

/** The sheet of keys: groups of keys with what they do. */
export const keySheetDe: InLanguage<typeof keySheet> = [
  {
    title: 'Überall',
    keys: [
      ['Ctrl K', 'Zu einer Ansicht oder einem Eintrag gehen, oder etwas tun'],
      ['+ a', 'Buchung hinzufügen'],
      ['?', 'Diese Übersicht'],
      ['Esc', 'Schließen, was offen ist'],
    ],
  },
  {
    title: 'In Listen von Buchungen',
    keys: [
      ['j ↓', 'Nächste'],
      ['k ↑', 'Vorherige'],
      ['g Home', 'Erste'],
      ['G End', 'Letzte'],
      ['PgUp PgDn', 'Eine Seite nach oben, nach unten'],
      ['/', 'Suchen'],
      ['→ ←', 'Gruppe oder Aufteilung aufklappen, zuklappen'],
      ['p Enter', 'Empfänger'],
      ['c t n', 'Kategorie, Tags, Notizen'],
      ['d m o', 'Datum, Betrag, Konto'],
      ['e', 'Als durchgesehen markieren'],
      ['y Enter', 'Beim Durchsehen: vorgeschlagene Kategorie annehmen'],
      ['s', 'Aufteilen'],
      ['w', 'Zwei ausgewählte als Umbuchung verbinden, beim Durchsehen wie vorgeschlagen'],
      ['b', 'Umbuchung lösen'],
      ['r', 'Regel für den Empfänger machen'],
      ['f', 'Datei anhängen, wie einen Beleg'],
      ['x Space', 'Auswählen'],
      ['Shift X', 'Bis hierher auswählen'],
      ['Ctrl A', 'Alle auswählen'],
      ['Shift A', 'Denselben Empfänger auswählen'],
      ['Del', 'Löschen'],
      ['u', 'Letzte Änderung rückgängig machen'],
    ],
  },
  {
    title: 'In einem Import',
    keys: [
      ['Enter', 'Importieren'],
      ['x Space', 'Zeile auslassen oder aufnehmen'],
    ],
  },
  {
    title: 'Im Budget',
    keys: [
      ['Arrows', 'Bewegen'],
      ['Home End', 'Erste, letzte Spalte'],
      ['0–9 Enter', 'Zelle bearbeiten'],
      ['Enter Tab', 'Speichern und weiter'],
      ['Del', 'Budget entfernen'],
      ['p', 'Vom letzten Zeitraum übernehmen'],
      ['a', 'Durchschnitt der Ausgaben'],
      ['PgUp PgDn', 'Früherer, späterer Zeitraum'],
      ['u', 'Letzte Änderung rückgängig machen'],
    ],
  },
  {
    title: 'Bei Wiederkehrendem',
    keys: [
      ['a d', 'Vorschlag annehmen, ablehnen'],
      ['Arrows', 'Andere Buchung, anderer Tag des Kalenders'],
      ['PgUp PgDn', 'Früherer, späterer Monat des Kalenders'],
      ['u', 'Letzte Änderung rückgängig machen'],
    ],
  },
  {
    title: 'Im Verlauf und in Diagrammen',
    keys: [
      ['u', 'Letzte Änderung rückgängig machen'],
      ['Arrows', 'Anderer Punkt des Diagramms'],
    ],
  },
];
