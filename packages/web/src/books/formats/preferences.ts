/** The languages of the UI, by BCP 47. */
export type Language = 'en' | 'de';

/** What a person has chosen for this browser. */
export interface Preferences {
  /** Colours: as the system has them, or always the same. */
  readonly theme: 'system' | 'light' | 'dark';
  /** The language of the texts; empty for that of the browser. */
  readonly language: '' | Language;
  /** A BCP 47 tag for numbers and dates; empty for that of the browser. */
  readonly locale: string;
  /** How dates are shown: by the locale, or as 2026-11-23. */
  readonly dates: 'locale' | 'iso';
  /** Amounts are hidden. */
  readonly isPrivate: boolean;
  /** Letters act in lists of transactions. */
  readonly hasLetterKeys: boolean;
}

/** The languages that there are. */
const languages: readonly Language[] = ['en', 'de'];

const themes: readonly string[] = ['system', 'light', 'dark'] satisfies Preferences['theme'][];

/** Reads stored preferences. Members that are missing or invalid have their usual values. */
export function readPreferences(text: string | null): Preferences {
  const stored = objectOf(text);
  const { theme, language, locale, dates, isPrivate, hasLetterKeys } = stored;
  return {
    language: languages.find((each) => each === language) ?? '',
    theme: themes.includes(String(theme)) ? (theme as Preferences['theme']) : 'system',
    locale: typeof locale === 'string' && isLocale(locale) ? locale : '',
    dates: dates === 'iso' ? 'iso' : 'locale',
    isPrivate: isPrivate === true,
    hasLetterKeys: hasLetterKeys !== false,
  };
}

/** Returns the language of the texts: the chosen one, else the first of the browser's that there is, else English. */
export function languageOf(chosen: '' | Language, offered: readonly string[]): Language {
  if (chosen !== '') return chosen;
  const primary = offered.map((tag) => tag.split('-', 1)[0]?.toLowerCase());
  return primary.flatMap((tag) => languages.filter((each) => each === tag))[0] ?? 'en';
}

function objectOf(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function isLocale(text: string): boolean {
  try {
    return text === '' || Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
