/** The locales that the settings offer, besides that of the browser. */
const offered = [
  'en-GB',
  'en-US',
  'en-CA',
  'en-AU',
  'en-IE',
  'en-IN',
  'en-NZ',
  'en-ZA',
  'cs-CZ',
  'da-DK',
  'de-AT',
  'de-CH',
  'de-DE',
  'el-GR',
  'es-ES',
  'es-MX',
  'fi-FI',
  'fr-CA',
  'fr-CH',
  'fr-FR',
  'hu-HU',
  'it-CH',
  'it-IT',
  'ja-JP',
  'ko-KR',
  'nb-NO',
  'nl-BE',
  'nl-NL',
  'pl-PL',
  'pt-BR',
  'pt-PT',
  'ro-RO',
  'sv-SE',
  'tr-TR',
  'uk-UA',
];

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
