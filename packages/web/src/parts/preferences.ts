import { useSyncExternalStore, useState } from 'react';
import { dateAt } from '../books/formats/dates.ts';
import { languageOf, readPreferences, type Preferences } from '../books/formats/preferences.ts';
import { setTextLanguage, setTextLocale } from '../texts/plural.ts';

const storageKey = 'coffer.preferences';
const listeners = new Set<() => void>();
let current = readPreferences(stored());
setTextLocale(current.locale);

/** A browser may refuse storage; then preferences last as long as the page. */
function stored(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function apply(next: Preferences): void {
  current = next;
  setTextLocale(next.locale);
  showTheme();
  for (const listener of listeners) listener();
}

/** Sets the colours that were chosen on the document. */
export function showTheme(): void {
  const { theme } = current;
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** Loads the texts of the language that was chosen, or that the browser has. Call it before anything is shown. */
export async function showLanguage(): Promise<void> {
  const language = languageOf(current.language, navigator.languages);
  document.documentElement.lang = language;
  if (language === 'en') return;
  setTextLanguage(language);
  await import('../texts/de/all.ts');
}

/** Changes some preferences, here and in other tabs. */
export function setPreferences(part: Partial<Preferences>): void {
  const next = { ...current, ...part };
  try {
    localStorage.setItem(storageKey, JSON.stringify(next));
  } catch {
    // They last as long as the page.
  }
  apply(next);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('storage', readAgain);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener('storage', readAgain);
  };
}

function readAgain({ key, newValue }: StorageEvent): void {
  if (key === storageKey) apply(readPreferences(newValue));
}

/** The preferences, as they change in any tab. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current);
}

/** Today's date when the part was first shown. */
export function useToday(): string {
  const [today] = useState(() => dateAt(Date.now()));
  return today;
}
