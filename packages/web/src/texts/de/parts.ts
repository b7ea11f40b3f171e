import type { createTexts, partTexts } from '../en/parts.ts';
import type { InLanguage } from '../translated.ts';

/** The texts that every screen uses. */
export const partsDe: InLanguage<typeof partTexts> = {
  close: 'Schließen',
  hidden: 'verborgen',
  notAmount: (text) => `„${text}“ ist kein Betrag`,
  dateLetters: { day: 'TT', month: 'MM', year: 'JJJJ' },
  notDate: (pattern) => `Schreib ein Datum als ${pattern}`,
  calendar: (label) => `Kalender: ${label}`,
  undo: 'Rückgängig',
  undone: 'Die letzte Änderung ist rückgängig gemacht',
  nothing: 'Es gibt nichts mehr rückgängig zu machen',
  proved: 'Dieser Stand ist geprüft. Trotzdem ändern?',
  anyway: 'Trotzdem ändern',
  loading: 'Wird geladen',
  failed: 'Das ließ sich nicht laden',
  retry: 'Noch einmal versuchen',
  notDone: 'Nicht gespeichert',
  cancel: 'Abbrechen',
  save: 'Speichern',
  create: (name) => `„${name}“ anlegen`,
  leaving: 'Verwerfen, was du getippt hast?',
  leavingHint: 'Es ist noch nicht gespeichert.',
  discard: 'Verwerfen',
  copy: 'Kopieren',
  copied: 'Kopiert',
  selected: 'Markiert: Kopiere mit den Tasten deines Systems',
};

/** The texts of what is created from a picker. */
export const createDe: InLanguage<typeof createTexts> = {
  created: (name) => `${name} ist angelegt`,
};
