import type { accountTexts } from '../en/account.ts';
import type { InLanguage } from '../translated.ts';

/** The texts of the page of one account. */
export const accountDe: InLanguage<typeof accountTexts> = {
  transactions: 'Diese Buchungen durchsuchen',
  toImport: 'In dieses Konto importieren',
  proof: 'Prüfung',
  provedUntil: (day) => `Geprüft bis ${day}: Jeder Stand deiner Bank stimmt.`,
  unknown:
    'Noch ist kein Stand deiner Bank bekannt. Eine Datei deiner Bank kann einen haben, oder du tippst ihn.',
  broken: (day) => `Der Stand am ${day} stimmt nicht.`,
  more: (first, last) => `mehr am ${last}, als deine Buchungen seit ${first} ergeben`,
  less: (first, last) => `weniger am ${last}, als deine Buchungen seit ${first} ergeben`,
  reasons: {
    doubled: 'Zwei Buchungen sind gleich: Eine ist vielleicht zu viel',
    turned: 'Diese Buchung hat vielleicht das falsche Vorzeichen',
    pending: 'Diese vorgemerkte Buchung ist vielleicht inzwischen gebucht',
    outside: 'Diese Buchung gehört vielleicht in diese Tage',
    extra: 'Deine Bank hat diese Buchung vielleicht nicht',
    missing:
      'Eine Buchung oder ein ganzer Tag fehlt vielleicht: Importiere die Datei dieser Tage noch einmal',
  },
  showRows: 'Diese Tage zeigen',
  forget: (day) => `Stand vom ${day} vergessen`,
  forgotten: 'Der Stand ist vergessen',
  opening: 'Sagen, was es an einem Tag hatte',
  reconcile: 'Mit einem Stand vergleichen',
  knownTitle: (name) => `Stand von ${name}`,
  knownHint: 'Was du laut deiner Bank am Ende eines Tages hattest. Schulden sind negativ.',
  day: 'Tag',
  balance: 'Stand',
  forgetMoved: 'Den jetzigen Stand von diesem Tag an rechnen',
  known: (name) => `Der Stand von ${name} ist notiert`,
  register: 'Buchungen',
  registerOf: (name) => `Buchungen von ${name} mit dem Stand nach jeder`,
  noRows: 'Noch keine Buchung',
  noRowsHint: 'Importiere eine Datei deiner Bank, oder füge eine Buchung hinzu.',
  showMore: 'Mehr zeigen',
  date: 'Datum',
  payee: 'Empfänger',
  amount: 'Betrag',
  states: { proved: 'Geprüft', broken: 'Falsch', moved: 'Nicht geprüft' },
};
