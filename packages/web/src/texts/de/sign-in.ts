import type { signInTexts } from '../en/sign-in.ts';
import type { InLanguage } from '../translated.ts';

/** The texts of signing in. */
export const signInDe: InLanguage<typeof signInTexts> = {
  title: 'Anmelden',
  again: 'Melde dich an, um weiterzumachen',
  againHint:
    'Deine Sitzung ist beendet. Was du getippt hast, bleibt und wird gespeichert, sobald du angemeldet bist.',
  email: 'E-Mail',
  password: 'Passwort',
  submit: 'Anmelden',
  passkey: 'Passkey benutzen',
  byLink: 'Noch kein Passwort? Führe auf dem Computer, auf dem Coffer läuft,',
  byLinkEnd: 'aus, und öffne den Link, der erscheint.',
  command: 'coffer sign-in',
  start: 'Anmeldung',
  startHint: 'Einen Moment.',
  startFailed: 'Dieser Link gilt nicht',
  startFailedHint: 'Ein Link gilt einmal, für 15 Minuten. Erzeuge einen neuen:',
  noSecret: 'Der Link ist unvollständig: Öffne ihn, wie er erschien, mit allem hinter dem #',
  cancelled: 'Kein Passkey wurde benutzt',
};
