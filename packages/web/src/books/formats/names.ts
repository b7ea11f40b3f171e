/** The names in a User-Agent, the most specific first: most browsers name others too. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['HeadlessChrome', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** Returns a short name of the browser in a User-Agent, such as `Firefox on Linux`; null without a known name. */
export function browserOf(userAgent: string | null): string | null {
  const find = (names: readonly (readonly [string, string])[]): string | undefined =>
    names.find(([part]) => userAgent?.includes(part))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  if (browser === undefined) return system ?? null;
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** The locales that the settings offer, besides that of the browser. */
const offered = (
  'en-GB en-US en-CA en-AU en-IE en-IN en-NZ en-ZA cs-CZ ' +
  'da-DK de-AT de-CH de-DE el-GR es-ES es-MX fi-FI fr-CA ' +
  'fr-CH fr-FR hu-HU it-CH it-IT ja-JP ko-KR nb-NO nl-BE ' +
  'nl-NL pl-PL pt-BR pt-PT ro-RO sv-SE tr-TR uk-UA'
).split(' ');

/** A locale by its tag and its own name. */
export interface NamedLocale {
  readonly tag: string;
  readonly name: string;
}

/** Returns the name of a locale in its own language, such as `Deutsch (Schweiz)`. */
export function nameOfLocale(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: 'language', languageDisplay: 'standard' });
  return name.of(tag) ?? tag;
}

/** Returns the locales to choose from, and the present one if it is another, by their names. */
export function localesWith(present: string): NamedLocale[] {
  const tags = present === '' || offered.includes(present) ? offered : [...offered, present];
  return tags
    .map((tag) => ({ tag, name: nameOfLocale(tag) }))
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
}
